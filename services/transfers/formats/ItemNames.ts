/**
 * Names as notes, notebooks, tags and attachments may have them (contract 2, 5 and 7), made of what was brought along. The
 * rules themselves stand in services/notes; a test holds these to them.
 */

export const maxTitle = 200
export const maxNotebook = 100
export const maxFilename = 255
export const maxTag = 50
export const maxTags = 50
const deepest = 5

/** Cut between two characters, never within one. */
const cut = (text: string, most: number): string => {
  if (text.length <= most) return text
  const letters = [...text]
  return letters.length <= most ? text : letters.slice(0, most).join("")
}

/** On one line. */
const line = (text: string): string =>
  text
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\0-\x1f\x7f\u0085\u2028\u2029]+/g, " ")
    .trim()

export const titleOf = (text: string): string => {
  const title = line(text)
  return title === "" ? "Untitled" : cut(title, maxTitle).trim()
}

const isWordSign = (letter: string | undefined): boolean => letter !== undefined && !/\s/.test(letter)

/** What a title leaves out of a text, from the beginning of the word that it cuts; empty where it leaves out nothing. */
export const titleRest = (text: string): string => {
  const letters = [...line(text)]
  if (letters.length <= maxTitle) return ""
  let start = maxTitle
  while (isWordSign(letters[start]) && isWordSign(letters[start - 1]) && start > maxTitle / 2) start--
  // Of a word that is most of the title only the rest is repeated.
  const isWord = start > maxTitle / 2
  return letters
    .slice(isWord ? start : maxTitle)
    .join("")
    .trim()
}

/** What has no name of its own in a folder. */
const notebookName = (text: string): string => {
  const name = cut(line(text), maxNotebook).trim()
  return name === "" ? "Untitled" : name
}

/** Folders as notebooks; those deeper than five levels are folded into the fifth. */
export const notebookOf = (folders: ReadonlyArray<string>): ReadonlyArray<string> =>
  (folders.length <= deepest
    ? folders
    : [...folders.slice(0, deepest - 1), folders.slice(deepest - 1).join(" / ")]
  ).map(notebookName)

/** Whether the notebook of a note is not called as its folders are. */
export const isFolded = (folders: ReadonlyArray<string>): boolean =>
  folders.length > deepest || folders.some((name) => cut(line(name), maxNotebook) !== line(name))

/** A name of a file without a path; its ending stays when it is cut. */
export const filenameOf = (text: string): string => {
  const name = line(text.replaceAll(/[/\\]/g, "_"))
  if (name === "" || name === "." || name === "..") return "file"
  const letters = [...name]
  if (letters.length <= maxFilename) return name
  const dot = letters.lastIndexOf(".")
  const ending = dot > letters.length - 20 ? letters.slice(dot) : []
  return [...letters.slice(0, maxFilename - ending.length), ...ending].join("")
}

/** A tag as it may be written, if there is one in the text: white space and commas become hyphens. */
export const tagOf = (text: string): string | undefined => {
  const tag = line(text)
    .replace(/^#+/, "")
    .normalize("NFC")
    .trim()
    .replaceAll(/[\s\p{White_Space},#]+/gu, "-")
    .replaceAll(/^[-/]+|[-/]+$/g, "")
  return tag === "" || [...tag].length > maxTag ? undefined : tag
}

/** Whether it is a tag as it stands. */
const isTag = (text: string): boolean =>
  text === line(text) && text !== "" && !/[\s\p{White_Space},#]/u.test(text) && [...text].length <= maxTag

const tagKey = (tag: string): string => tag.normalize("NFC").toLowerCase().normalize("NFC")

/** Tags of a note, each once, and those that it cannot have. Those of an export of this service are called so. */
export const tagsOf = (texts: ReadonlyArray<string>, areOwn = false) => {
  const taken = new Map<string, string>()
  const left: Array<string> = []
  for (const text of texts) {
    if (text.trim() === "") continue
    const tag = areOwn && isTag(text.normalize("NFC")) ? text.normalize("NFC") : tagOf(text)
    if (tag !== undefined && taken.has(tagKey(tag))) continue
    if (tag === undefined || taken.size >= maxTags) left.push(text)
    else taken.set(tagKey(tag), tag)
  }
  return { tags: [...taken.values()], left }
}

/** The part of a name before its ending. */
export const stemOf = (name: string): string => {
  const dot = name.lastIndexOf(".")
  return dot > 0 ? name.slice(0, dot) : name
}

export const endingOf = (name: string): string => {
  const dot = name.lastIndexOf(".")
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : ""
}

const images = new Set([
  "apng",
  "avif",
  "bmp",
  "gif",
  "heic",
  "heif",
  "jpeg",
  "jpg",
  "jxl",
  "png",
  "svg",
  "tif",
  "tiff",
  "webp"
])
export const isImageName = (name: string): boolean => images.has(endingOf(name))
