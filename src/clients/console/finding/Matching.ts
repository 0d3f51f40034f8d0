import type { Part } from "../notes/Highlight.ts"

/** The kinds of what the palette finds, in the order of entries that match equally well. */
type EntryKind = "note" | "heading" | "notebook" | "tag" | "command"

/** What entries are found by. */
export interface Matched {
  readonly kind: EntryKind
  readonly title: string
  /** Other words by which it is found. */
  readonly aliases?: string
}

/** A text as it is compared: in its compatibility form, without case and marks, such as accents. */
export const comparable = (text: string): string => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase()

const wordsOf = (query: string): ReadonlyArray<string> => comparable(query).split(/\s+/).filter(Boolean)

const beginsWord = (title: string, word: string): boolean => {
  for (let at = title.indexOf(word); at >= 0; at = title.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(title[at - 1]!)) return true
  }
  return false
}

/** How far a title is from a query: 0 for the same words; undefined if it lacks one. */
export const distance = (title: string, query: string): number | undefined => {
  const [whole, words] = [comparable(query).trim(), wordsOf(query)]
  const text = comparable(title)
  if (text === whole) return 0
  if (text.startsWith(whole)) return 1
  if (words.every((word) => beginsWord(text, word))) return 2
  return words.every((word) => text.includes(word)) ? 3 : undefined
}

const order: Readonly<Record<EntryKind, number>> = { note: 0, heading: 1, notebook: 2, tag: 3, command: 4 }

/** The entries that match a query, the nearest first; of equally near ones in their order. */
export const matching = <A extends Matched>(
  entries: ReadonlyArray<A>,
  query: string,
  most: number
): ReadonlyArray<A> => {
  const found = entries.flatMap((entry) => {
    const [own, other] = [distance(entry.title, query), entry.aliases && distance(entry.aliases, query)]
    // Other words count less than the title.
    const far = own ?? (typeof other === "number" ? other + 4 : undefined)
    return far === undefined ? [] : [{ entry, far }]
  })
  const compare = (one: (typeof found)[number], other: (typeof found)[number]) =>
    one.far - other.far || order[one.entry.kind] - order[other.entry.kind]
  return found
    .sort(compare)
    .slice(0, most)
    .map(({ entry }) => entry)
}

/** The parts of a title, of which those that the query has are marked. */
export const markedParts = (title: string, query: string): ReadonlyArray<Part> => {
  const text = comparable(title)
  const none = [{ text: title, isMatch: false }]
  // Signs of some scripts are longer or shorter when they are compared.
  if (text.length !== title.length) return none
  const isMatch = Array.from<unknown, boolean>({ length: text.length }, () => false)
  for (const word of wordsOf(query)) {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
      isMatch.fill(true, at, at + word.length)
    }
  }
  const parts: Array<{ text: string; isMatch: boolean }> = []
  for (let at = 0; at < title.length; at++) {
    const last = parts.at(-1)
    if (last !== undefined && last.isMatch === isMatch[at]) last.text += title[at]!
    else parts.push({ text: title[at]!, isMatch: isMatch[at]! })
  }
  return parts.length === 0 ? none : parts
}
