import { createHash } from "node:crypto"
import type { Stats } from "node:fs"
import ignore from "ignore"
import { noteEnding } from "../../../services/markdown/LinkText.ts"
import { attachmentsFolder } from "../../../services/transfers/formats/FileNames.ts"
import { noteIdIn } from "./FileText.ts"
import type { FileAccess } from "./FileAccess.ts"

/** The files and folders in a folder. */

export interface FoundFile {
  /** From the folder, with slashes, in the bytes of the file system. */
  readonly path: string
  /** The same file has it under another name. */
  readonly identity: string
  /** Changes with the content, at the latest when the clock of the file system moves on. */
  readonly stat: string
  readonly hash: string
  /** The id of a note in the front matter of an export, if the file was read. */
  readonly noteId?: string | undefined
}

/** A file that is no note. Its bytes are read only if it may be a file of a note. */
export interface Asset {
  readonly path: string
  readonly identity: string
  readonly stat: string
  readonly size: number
  readonly hash?: string
}

export interface Scan {
  readonly files: ReadonlyMap<string, FoundFile>
  readonly assets: ReadonlyMap<string, Asset>
  /** Identities of folders by their paths. */
  readonly folders: ReadonlyMap<string, string>
  /** All names in a folder that are not those of notes. */
  readonly otherNames: ReadonlyMap<string, ReadonlyArray<string>>
  /** Folders that cannot be read: nothing is known of what is in them. */
  readonly unreadable: ReadonlyArray<string>
  readonly isIgnored: (path: string) => boolean
}

/** The file with rules in the form of `.gitignore`. */
export const ignoreFile = ".sheafignore"

/** Files of Markdown. Those in the folder of an export for files are files. */
export const isNoteFile = (path: string): boolean => noteEnding.test(path) && !path.startsWith(`${attachmentsFolder}/`)

/** Paths in folders of programs, trash folders among them, and of files that are being written. */
const hidden = /(?:^|\/)(?:\.|\$RECYCLE\.BIN(?:\/|$)|node_modules(?:\/|$))/

export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

export const identityOf = ({ birthtimeMs, dev, ino }: Stats): string => `${dev}:${ino}:${birthtimeMs}`
export const statOf = ({ ctimeMs, ino, mtimeMs, size }: Stats): string => `${size} ${mtimeMs} ${ctimeMs} ${ino}`

/** Milliseconds within which a second write may leave the times of a file unchanged. */
const coarseness = 2_000

/** Whether no program is likely to be writing a file. The clock of its file system may be another one. */
export const isSettled = ({ ctimeMs, mtimeMs }: Stats): boolean =>
  Math.abs(Date.now() - Math.max(mtimeMs, ctimeMs)) > coarseness

/** The `stat` of a file, unless a later write could leave it unchanged. */
export const trustedStat = (stats: Stats): string =>
  Date.now() - Math.max(stats.mtimeMs, stats.ctimeMs) > coarseness ? statOf(stats) : ""

const rulesIn = async (access: FileAccess): Promise<(path: string) => boolean> => {
  const text = await access.read(ignoreFile)
  if (text === undefined) return (path) => hidden.test(path)
  const rules = ignore({ ignorecase: false }).add(Buffer.from(text).toString())
  return (path) => hidden.test(path) || rules.ignores(path)
}

/** What is known of files from an earlier scan. */
interface Known {
  readonly file: (path: string) => FoundFile | undefined
  readonly asset: (path: string) => Omit<Asset, "size"> | undefined
}

/** Reads the folder. Files that are known are read again only if they seem to have changed. */
export const scanned = async (access: FileAccess, known: Known): Promise<Scan> => {
  const files = new Map<string, FoundFile>()
  const assets = new Map<string, Asset>()
  const folders = new Map<string, string>()
  const otherNames = new Map<string, ReadonlyArray<string>>()
  const unreadable: Array<string> = []
  const isIgnored = await rulesIn(access)

  const readFile = async (path: string, stats: Stats) => {
    const bytes = await access.read(path)
    if (bytes === undefined) return
    const noteId = noteIdIn(Buffer.from(bytes).toString())
    files.set(path, { path, identity: identityOf(stats), stat: trustedStat(stats), hash: hashOf(bytes), noteId })
  }

  const visit = async (folder: string): Promise<void> => {
    const entries = await access.list(folder)
    if (entries === undefined) return void unreadable.push(folder)
    const others: Array<string> = []
    const within: Array<string> = []
    const toRead: Array<readonly [string, Stats]> = []
    for (const { name, stats } of entries) {
      const path = folder === "" ? name : `${folder}/${name}`
      const isNote = stats.isFile() && isNoteFile(path)
      if (!isNote) others.push(name)
      if (stats.isDirectory() && !isIgnored(`${path}/`)) {
        folders.set(path, identityOf(stats))
        within.push(path)
      } else if (isNote && !isIgnored(path)) toRead.push([path, stats])
      else if (stats.isFile() && !isIgnored(path)) {
        const [earlier, stat] = [known.asset(path), statOf(stats)]
        const read = earlier?.stat === stat ? earlier : { path, identity: identityOf(stats), stat }
        assets.set(path, { ...read, size: stats.size })
      }
    }
    otherNames.set(folder, others)
    for (const [path, stats] of toRead) {
      const earlier = known.file(path)
      if (earlier !== undefined && earlier.stat === statOf(stats)) files.set(path, earlier)
      else await readFile(path, stats)
    }
    for (const path of within) await visit(path)
  }
  await visit("")
  return { files, assets, folders, otherNames, unreadable, isIgnored }
}
