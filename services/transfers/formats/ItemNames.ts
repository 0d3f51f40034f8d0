/**
 * Makes valid names of notes, notebooks, tags and attachments (contract 2, 5 and 7). The rules are in services/notes; a
 * test verifies that these functions follow them.
 */

export const maxTitle = 200
export const maxNotebook = 100
const maxFilename = 255
const maxTag = 50
export const maxTags = 50
const deepest = 5

/** Cuts between two characters, never within one. */
const cut = (text: string, most: number): string => {
  if (text.length <= most) return text
  const letters = [...text]
  return letters.length <= most ? text : letters.slice(0, most).join("")
}

/** The text on one line. */
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

/** The part of a text that its title leaves out, from the beginning of the word that is cut; empty if the text fits. */
export const titleRest = (text: string): string => {
  const letters = [...line(text)]
  if (letters.length <= maxTitle) return ""
  let start = maxTitle
  while (isWordSign(letters[start]) && isWordSign(letters[start - 1]) && start > maxTitle / 2) start--
  // If the word takes most of the title, only the rest of it is repeated.
  const isWord = start > maxTitle / 2
  return letters
    .slice(isWord ? start : maxTitle)
    .join("")
    .trim()
}

/** A valid name of a notebook; `Untitled` for an empty one. */
const notebookName = (text: string): string => {
  const name = cut(line(text), maxNotebook).trim()
  return name === "" ? "Untitled" : name
}

/** Folders as notebooks; folders below the fifth level are joined into the fifth. */
export const notebookOf = (folders: ReadonlyArray<string>): ReadonlyArray<string> =>
  (folders.length <= deepest
    ? folders
    : [...folders.slice(0, deepest - 1), folders.slice(deepest - 1).join(" / ")]
  ).map(notebookName)

/** Whether the names of the notebooks differ from those of the folders. */
export const isFolded = (folders: ReadonlyArray<string>): boolean =>
  folders.length > deepest || folders.some((name) => cut(line(name), maxNotebook) !== line(name))

/** A file name without a path; its extension is kept when it is cut. */
export const filenameOf = (text: string): string => {
  const name = line(text.replaceAll(/[/\\]/g, "_"))
  if (name === "" || name === "." || name === "..") return "file"
  const letters = [...name]
  if (letters.length <= maxFilename) return name
  const dot = letters.lastIndexOf(".")
  const ending = dot > letters.length - 20 ? letters.slice(dot) : []
  return [...letters.slice(0, maxFilename - ending.length), ...ending].join("")
}

/** A valid tag from a text, or undefined: white space and commas become hyphens. */
export const tagOf = (text: string): string | undefined => {
  const tag = line(text)
    .replace(/^#+/, "")
    .normalize("NFC")
    .trim()
    .replaceAll(/[\s\p{White_Space},#]+/gu, "-")
    .replaceAll(/^[-/]+|[-/]+$/g, "")
  return tag === "" || [...tag].length > maxTag ? undefined : tag
}

/** Whether it is a valid tag as it is. */
const isTag = (text: string): boolean =>
  text === line(text) && text !== "" && !/[\s\p{White_Space},#]/u.test(text) && [...text].length <= maxTag

const tagKey = (tag: string): string => tag.normalize("NFC").toLowerCase().normalize("NFC")

/** Tags of a note, each once, and texts that it cannot have as tags. Tags of own exports are kept as they are. */
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

/** The part of a name before its extension. */
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
