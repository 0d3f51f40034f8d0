import { hash } from "node:crypto"
import * as fs from "node:fs"
import { dirname, join } from "node:path"

/** A file of the runtime, with the path relative to its folder and the SHA-256 of its bytes in hexadecimal. */
interface RuntimeFile {
  readonly path: string
  readonly mode: number
  readonly size: number
  readonly sha256: string
}

/** The files of the runtime: the program and PostgreSQL. */
export interface Manifest {
  /** The version and a part of the hash of all files: builds of one version do not share a folder. */
  readonly name: string
  readonly files: ReadonlyArray<RuntimeFile>
}

/** The bytes in the executable are not the ones of its manifest. */
export class DamagedExecutable extends Error {}

const temporaryPrefix = ".unpacking-"
/** An unpacking takes seconds; a folder of this age is from one that was interrupted. */
const interruptedAfter = 3_600_000

/**
 * Returns the folder below `runtimes` with the files of the manifest. Reads each file to compare its hash, and writes the
 * files that are missing or damaged: `read` returns the bytes of all files, in the order of the manifest. Each file is
 * replaced atomically, so a start that is killed leaves whole files, and several starts may do this at once.
 */
export const install = (runtimes: string, { files, name }: Manifest, read: () => Uint8Array): string => {
  const home = join(runtimes, name)
  if (files.every((file) => isIntact(join(home, file.path), file))) return home
  const umask = process.umask(0o022)
  try {
    fs.mkdirSync(runtimes, { recursive: true })
    removeUnused(runtimes, name)
    unpack(runtimes, { files, name }, read())
  } finally {
    process.umask(umask)
  }
  return home
}

const isIntact = (path: string, { sha256, size }: RuntimeFile): boolean => {
  try {
    return fs.statSync(path).size === size && hash("sha256", fs.readFileSync(path)) === sha256
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return false
    throw error
  }
}

const unpack = (runtimes: string, { files, name }: Manifest, bytes: Uint8Array): void => {
  const temporary = fs.mkdtempSync(join(runtimes, temporaryPrefix))
  try {
    let end = 0
    for (const file of files) {
      const content = bytes.subarray(end, (end += file.size))
      const place = join(runtimes, name, file.path)
      if (isIntact(place, file)) continue
      if (hash("sha256", content) !== file.sha256) throw new DamagedExecutable(file.path)
      const part = join(temporary, "part")
      fs.writeFileSync(part, content, { mode: file.mode })
      fs.mkdirSync(dirname(place), { recursive: true })
      fs.renameSync(part, place)
    }
  } finally {
    fs.rmSync(temporary, { recursive: true, force: true })
  }
}

/**
 * Makes room: deletes the runtimes of other versions except for the one that was unpacked last, with which another process
 * may still be running, and the files of interrupted starts.
 */
const removeUnused = (runtimes: string, name: string): void => {
  const others = fs.readdirSync(runtimes).flatMap((entry) => {
    const path = join(runtimes, entry)
    // Another start may be deleting it.
    const modified = fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs
    return entry === name || modified === undefined ? [] : [{ path, entry, modified }]
  })
  const { parts = [], versions = [] } = Object.groupBy(others, ({ entry }) =>
    entry.startsWith(temporaryPrefix) ? "parts" : "versions"
  )
  const unused = [
    ...parts.filter(({ modified }) => modified < Date.now() - interruptedAfter),
    ...versions.sort((one, other) => other.modified - one.modified).slice(1)
  ]
  for (const { path } of unused) fs.rmSync(path, { recursive: true, force: true })
}
