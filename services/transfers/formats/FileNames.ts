/**
 * Names of files and folders that every system takes, Windows with its many rules too. What is in the same folder has
 * different names on systems that do not tell capitals from small letters. The same content is always named the same: who
 * was there first has its name as it is, and who came later a number behind it.
 */

/** The folder of a Markdown export, beside those of its notebooks, in which the files of notes lie. */
export const attachmentsFolder = "_attachments"
/** The list of files that an export had to leave out; imports ignore it (`Junk.ts`). */
export const missingFilesName = "sheaf-missing-files.txt"

/** Windows takes 260 characters for a whole path; 40 are left for where it is unpacked. */
const longestPath = 220
/** What the path of the folders may take of it. */
const longestFolders = 140
/** However deep a notebook lies, its name keeps so much. */
const leastName = 14
/** Notebooks nest so deep (contract 5). */
const levels = 5
/** What file systems take for one name, in bytes. */
const longestName = 255

/** Not allowed on Windows, or with a meaning in links of note apps; and what nobody sees. */
// eslint-disable-next-line no-control-regex
const illegal = /[\u0000-\u001f\u007f-\u009f<>:"/\\|?*#^[\]\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g
const reserved = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i

/** Two names that fold to the same are the same file somewhere. */
export const folded = (name: string): string => name.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC")

const units = (name: string): number => name.length

/** Signs of which each is a character, a unit and a byte. */
const ascii = /^[ -~]*$/

/** Cut between characters, to so many UTF-16 units and bytes. */
const cut = (name: string, mostUnits: number, mostBytes: number): string => {
  if (ascii.test(name)) return name.slice(0, Math.min(mostUnits, mostBytes))
  let text = ""
  let bytes = 0
  for (const { segment } of new Intl.Segmenter("en").segment(name.slice(0, mostUnits))) {
    bytes += Buffer.byteLength(segment)
    if (bytes > mostBytes) break
    text += segment
  }
  // A cluster of characters can be longer than all that there is room for.
  return text === "" ? [...name.slice(0, 4)].slice(0, 1).join("") : text.toWellFormed()
}

/** Dots and spaces at the end are dropped by Windows; dots at the beginning hide a file. */
const trimmed = (name: string): string => name.replace(/^[\s.]+/, "").replace(/[\s.]+$/, "")

/** A legal name of at most so many UTF-16 units, with what is put behind it. */
const legal = (text: string, suffix: string, most: number): string => {
  const clean = trimmed(text.normalize("NFC").toWellFormed().replaceAll(illegal, "-").replaceAll(/\s/g, " "))
  const room = Math.max(1, most - units(suffix))
  const base = trimmed(cut(clean, room, longestName - Buffer.byteLength(suffix)))
  if (base === "") return `Untitled${suffix}`
  return reserved.test(base) ? `_${base.slice(0, Math.max(1, room - 1))}${suffix}` : `${base}${suffix}`
}

/** The names of one folder. */
export class Folder {
  private readonly taken = new Set<string>()
  /** From which number on a name may be free. */
  private readonly next = new Map<string, number>()
  readonly path: string

  /** `path`: empty, or with a slash at its end. */
  constructor(path: string, taken: ReadonlyArray<string> = []) {
    this.path = path
    for (const name of taken) this.taken.add(folded(name))
  }

  /** Names a file; `extension` with its dot, or empty. */
  file(name: string, extension: string): string {
    return this.named(name, extension, longestPath - units(this.path))
  }

  /** Whether a file has this very name from now on: it is legal, and nobody has it. */
  take(name: string): boolean {
    const key = folded(name)
    if (legal(name, "", longestPath - units(this.path)) !== name || this.taken.has(key)) return false
    this.taken.add(key)
    return true
  }

  /** Names a folder at a level, from 1. */
  folder(name: string, level: number): string {
    const reservedBelow = (levels - level) * (leastName + 1)
    return this.named(name, "", Math.max(leastName, longestFolders - units(this.path) - reservedBelow - 1))
  }

  private named(name: string, extension: string, most: number): string {
    const plain = legal(name, extension, most)
    const key = folded(plain)
    if (!this.taken.has(key)) {
      this.taken.add(key)
      return plain
    }
    for (let number = this.next.get(key) ?? 2; ; number++) {
      const numbered = legal(name, ` (${number})${extension}`, most)
      if (this.taken.has(folded(numbered))) continue
      this.taken.add(folded(numbered))
      this.next.set(key, number + 1)
      return numbered
    }
  }
}

/** A name and its extension, where that is one: `.tar` is none of `.gitignore`. */
export const splitName = (filename: string): readonly [string, string] => {
  const match = /^(.+)(\.[0-9A-Za-z]{1,12})$/s.exec(filename.trim())
  return match === null ? [filename, ""] : [match[1]!, match[2]!]
}

/** The names on the way from the folder of one file to another file. */
const way = (from: string, to: string): ReadonlyArray<string> => {
  const here = from.split("/").slice(0, -1)
  const there = to.split("/")
  let common = 0
  while (common < here.length && common < there.length - 1 && here[common] === there[common]) common++
  const up = here.slice(common).map(() => "..")
  return [...up, ...there.slice(common)]
}

/** A path from the folder of one file to another file, as it is. */
export const plainPath = (from: string, to: string): string => way(from, to).join("/")

/** The same as a link has it. */
export const relativePath = (from: string, to: string): string =>
  way(from, to)
    .map((part) => encodeURIComponent(part).replaceAll(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`))
    .join("/")
