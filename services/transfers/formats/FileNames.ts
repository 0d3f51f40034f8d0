/**
 * Names of files and folders that every system accepts, including Windows. Names within a folder also differ on systems
 * that ignore case. The same content always gets the same names: the first item keeps its name, later ones get a
 * number.
 */

/** The folder of a Markdown export that contains the files of notes, next to the folders of its notebooks. */
export const attachmentsFolder = "_attachments"
/** The list of files that an export had to leave out; imports ignore it (`Junk.ts`). */
export const missingFilesName = "sheaf-missing-files.txt"

/** Maximum length of a path, in UTF-16 units. Windows accepts 260; 40 are left for the folder where it is unpacked. */
const longestPath = 220
/** Maximum length of the folders in it. */
const longestFolders = 140
/** Minimum length that the name of a notebook keeps at any depth. */
const leastName = 14
/** Maximum depth of notebooks (contract 5). */
const levels = 5
/** Maximum bytes that file systems accept for one name. */
const longestName = 255

/** Characters that Windows does not allow, that have a meaning in links of note apps, or that are invisible. */
// eslint-disable-next-line no-control-regex
const illegal = /[\u0000-\u001f\u007f-\u009f<>:"/\\|?*#^[\]\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g
const reserved = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i

/** Two names with the same result are the same file on some systems. */
export const folded = (name: string): string => name.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC")

const units = (name: string): number => name.length

/** Text in which each sign is one character, one unit and one byte. */
const ascii = /^[ -~]*$/

/** Cuts between characters, at a maximum of UTF-16 units and bytes. */
const cut = (name: string, maxUnits: number, maxBytes: number): string => {
  if (ascii.test(name)) return name.slice(0, Math.min(maxUnits, maxBytes))
  let text = ""
  let bytes = 0
  for (const { segment } of new Intl.Segmenter("en").segment(name.slice(0, maxUnits))) {
    bytes += Buffer.byteLength(segment)
    if (bytes > maxBytes) break
    text += segment
  }
  // A cluster of characters can be longer than the maximum.
  return text === "" ? [...name.slice(0, 4)].slice(0, 1).join("") : text.toWellFormed()
}

/** Windows drops dots and spaces at the end; dots at the beginning hide a file. */
const trimmed = (name: string): string => name.replace(/^[\s.]+/, "").replace(/[\s.]+$/, "")

/** A valid name of at most `most` UTF-16 units, including the suffix. */
const legal = (text: string, suffix: string, most: number): string => {
  const clean = trimmed(text.normalize("NFC").toWellFormed().replaceAll(illegal, "-").replaceAll(/\s/g, " "))
  const room = Math.max(1, most - units(suffix))
  const base = trimmed(cut(clean, room, longestName - Buffer.byteLength(suffix)))
  if (base === "") return `Untitled${suffix}`
  return reserved.test(base) ? `_${base.slice(0, Math.max(1, room - 1))}${suffix}` : `${base}${suffix}`
}

/** The names of one folder. */
export class Folder {
  readonly #taken = new Set<string>()
  /** The lowest number that may be free, by name. */
  readonly #next = new Map<string, number>()
  readonly path: string

  /** `path`: empty, or with a slash at the end. */
  constructor(path: string, taken: ReadonlyArray<string> = []) {
    this.path = path
    for (const name of taken) this.#taken.add(folded(name))
  }

  /** Names a file; `extension` with its dot, or empty. */
  file(name: string, extension: string): string {
    return this.#named(name, extension, longestPath - units(this.path))
  }

  /** Reserves exactly this name for a file; returns false if it is invalid or taken. */
  take(name: string): boolean {
    const key = folded(name)
    if (legal(name, "", longestPath - units(this.path)) !== name || this.#taken.has(key)) return false
    this.#taken.add(key)
    return true
  }

  /** Names a folder at a level, from 1. */
  folder(name: string, level: number): string {
    const reservedBelow = (levels - level) * (leastName + 1)
    return this.#named(name, "", Math.max(leastName, longestFolders - units(this.path) - reservedBelow - 1))
  }

  #named(name: string, extension: string, most: number): string {
    const plain = legal(name, extension, most)
    const key = folded(plain)
    if (!this.#taken.has(key)) {
      this.#taken.add(key)
      return plain
    }
    for (let number = this.#next.get(key) ?? 2; ; number++) {
      const numbered = legal(name, ` (${number})${extension}`, most)
      if (this.#taken.has(folded(numbered))) continue
      this.#taken.add(folded(numbered))
      this.#next.set(key, number + 1)
      return numbered
    }
  }
}

/** A name and its extension, if it has one: `.gitignore` has none. */
export const splitName = (filename: string): readonly [string, string] => {
  const match = /^(.+)(\.[0-9A-Za-z]{1,12})$/s.exec(filename.trim())
  return match === null ? [filename, ""] : [match[1]!, match[2]!]
}

/** The path segments from the folder of one file to another file. */
const way = (from: string, to: string): ReadonlyArray<string> => {
  const here = from.split("/").slice(0, -1)
  const there = to.split("/")
  let common = 0
  while (common < here.length && common < there.length - 1 && here[common] === there[common]) common++
  const up = here.slice(common).map(() => "..")
  return [...up, ...there.slice(common)]
}

/** The path from the folder of one file to another file, not encoded. */
export const plainPath = (from: string, to: string): string => way(from, to).join("/")

/** The same path, encoded for a link. */
export const relativePath = (from: string, to: string): string =>
  way(from, to)
    .map((part) => encodeURIComponent(part).replaceAll(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`))
    .join("/")
