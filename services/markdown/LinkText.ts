/** The words of links to notes: how they are compared, read and written (contract 5, "Links in a body"). */

/** The folded name: equal for the same name in another case or Unicode form. */
export const folded = (name: string): string => name.normalize("NFC").toLowerCase()

/** The ending of a file that is no note, such as a picture that was not imported. */
export const fileEnding =
  /\.(?:png|jpe?g|gif|webp|svg|avif|bmp|heic|tiff?|mp[34]|m4[av]|mov|mkv|webm|og[agv]|wav|flac|pdf|zip|csv|docx?|xlsx?|pptx?|od[tsp]|epub|canvas|base)$/i

/** A text without percent-encoding. A name may also contain a bare %. */
export const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The ending of the files of notes, which links may have. */
export const noteEnding = /\.(?:md|markdown)$/i

/** Escapes the brackets of a label. Its other Markdown stays. */
export const escapedLabel = (text: string): string => text.replaceAll(/[[\]\\]/g, "\\$&")

/** Signs that begin or end something in Markdown. An underscore or a dollar within a word does not. */
const signs = /[[\]\\`*~]|==|%%|(?<![\p{L}\p{N}])[_$]|[_$](?![\p{L}\p{N}])|<(?=[a-z/!?])|&(?=#?\w{1,32};)/giu

/** Escapes a name, so that a label shows it to the letter. */
export const escapedName = (name: string): string => name.replaceAll(signs, (found) => found.replaceAll(/./g, "\\$&"))

/** Whether double brackets can contain a title, and lead to the note with that title. */
export const fitsBrackets = (title: string): boolean =>
  !/[[\]|#^\n]|%%|<!--|\\$|^\s|\s$|^nt_/.test(title) && !noteEnding.test(title)

interface LinkedNote {
  readonly id: string
  readonly title: string
}

/** Writes a link to a note of the workspace that holds whatever other notes are called. */
export const exactLink = ({ id, title }: LinkedNote): string => `[${escapedName(title)}](note:${id})`

/** Writes a link to a note of the workspace. */
export const noteLink = (note: LinkedNote): string => (fitsBrackets(note.title) ? `[[${note.title}]]` : exactLink(note))

/** One of the ways in which the target of a link can be read. */
export interface Reading {
  /** The names of the folders before it, from the outer one. */
  readonly folders: ReadonlyArray<string>
  readonly title: string
  /** The heading in the note, or `^` and the name of a block; empty for the beginning. */
  readonly place: string
}

const split = (path: string, place: string): ReadonlyArray<Reading> => {
  const whole = path.replace(noteEnding, "").trim()
  const parts = whole.split("/").filter((part) => part !== "" && part !== ".")
  const readings = [{ folders: [], title: whole, place }]
  return parts.length > 1 ? [...readings, { folders: parts.slice(0, -1), title: parts.at(-1)!, place }] : readings
}

/**
 * The ways to read the target of a link to a note, the likeliest first. A title may contain the signs of paths and of
 * headings: "C# and F#" is a title, or a place in the note "C".
 */
export const readingsOf = (target: string): ReadonlyArray<Reading> => {
  const hashes = [target.lastIndexOf("#"), target.indexOf("#")].filter((at) => at > 0)
  return [
    ...split(target, ""),
    ...new Set(hashes)
      .values()
      .flatMap((at) => split(target.slice(0, at), target.slice(target.lastIndexOf("#") + 1).trim()))
  ].filter(({ title }) => title !== "")
}

/** The path and title of the note that a link without a note leads to, when that note is made. */
export const newNoteOf = (target: string): Omit<Reading, "place"> => {
  const at = target.search(/#./)
  const readings = split(at > 0 ? target.slice(0, at) : target, "")
  const { folders, title } = readings.at(-1)!
  return { folders, title: [...title].slice(0, 200).join("") }
}

/** The id of the anchor of a block on the page of its note. */
export const blockAnchor = (name: string): string => `b-${name}`

/** The name of a heading in addresses. */
export const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s+/g, "-")

/** The id of the anchor of a heading. */
export const headingAnchor = (slug: string): string => `h-${slug}`

/** The id of the anchor to which a place in a note leads. */
export const anchorOf = (place: string): string =>
  place.startsWith("^") ? blockAnchor(place.slice(1)) : headingAnchor(slugOf(place))
