const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" }

const unescaped = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name]!)

/** A part of a text, and whether it matches the search. */
export interface Part {
  readonly text: string
  readonly isMatch: boolean
}

/** The parts of a snippet of a search, which is escaped HTML with the matches in `<mark>`. */
export const partsOf = (snippet: string): ReadonlyArray<Part> =>
  snippet
    .split(/<mark>|<\/mark>/)
    .map((text, index) => ({ text: unescaped(text), isMatch: index % 2 === 1 }))
    .filter(({ text }) => text !== "")
