import { Buffer } from "node:buffer"
import { createHash } from "node:crypto"
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat, truncate } from "node:fs/promises"
import { join, resolve } from "node:path"
import { lock } from "./StoreLock.ts"
import { type Entry, StoreError, type SyncStore } from "./SyncStore.ts"

/** The first line of a journal. */
const header = { journal: "sheaf sync", format: 1 }

/** Bytes that a journal may grow by before it is compacted; and then as much as it has. */
const leastGrowth = 1024 * 1024
/** Bytes of one write when a journal is compacted. */
const chunkSize = 1024 * 1024

const checksum = (text: string | Uint8Array): string => createHash("sha256").update(text).digest("hex").slice(0, 16)

/** A line: the checksum, and the entries as JSON, in which a removed key has no value. */
const lineOf = (entries: ReadonlyArray<Entry>): string => {
  const text = JSON.stringify(entries.map(([key, value]) => (value === undefined ? [key] : [key, value])))
  return `${checksum(text)} ${text}\n`
}

/** The entries of a line; undefined for a damaged one. */
const entriesOf = (line: Buffer): ReadonlyArray<Entry> | undefined => {
  const text = line.subarray(17)
  if (line.toString("latin1", 0, 16) !== checksum(text)) return undefined
  const entries: ReadonlyArray<readonly [string, unknown?]> = JSON.parse(text.toString())
  return entries.map(([key, value]) => [key, value])
}

const apply = (kept: Map<string, unknown>, entries: ReadonlyArray<Entry>): void => {
  for (const [key, value] of entries) {
    if (value === undefined) kept.delete(key)
    else kept.set(key, value)
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT"

/** Makes the names of files in a directory survive a crash. */
const syncDirectory = async (path: string): Promise<void> => {
  const directory = await open(path, "r")
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** The end of the name of a file that is being written. */
const temporaryEnd = ".new"

/** Writes a file whole or not at all. Calls with the same name can run at the same time. */
const replaceFile = async (directory: string, name: string, chunks: Iterable<string | Uint8Array>): Promise<void> => {
  const temporary = join(directory, `${name}.${crypto.randomUUID()}${temporaryEnd}`)
  try {
    const handle = await open(temporary, "wx")
    try {
      for (const chunk of chunks) await handle.appendFile(chunk)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, join(directory, name))
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncDirectory(directory)
}

/** Removes the temporary files of a process that was killed. */
const removeTemporary = async (directory: string, prefix: string): Promise<void> => {
  for (const name of await readdir(directory)) {
    if (name.startsWith(prefix) && name.endsWith(temporaryEnd)) await rm(join(directory, name))
  }
}

/** The content of a journal with only the current entries, in chunks. */
function* compacted(kept: ReadonlyMap<string, unknown>): Generator<string> {
  let chunk = JSON.stringify(header) + "\n"
  for (const entry of kept) {
    chunk += lineOf([entry])
    if (chunk.length < chunkSize) continue
    yield chunk
    chunk = ""
  }
  yield chunk
}

/** The entries of a journal, and the bytes up to the end of its last whole line. */
const readJournal = async (path: string): Promise<{ readonly kept: Map<string, unknown>; readonly length: number }> => {
  const bytes = await readFile(path)
  const end = bytes.indexOf("\n")
  let first: Partial<typeof header> = {}
  try {
    first = JSON.parse(bytes.subarray(0, Math.max(end, 0)).toString())
  } catch {
    // Something else: it has no header.
  }
  if (first?.journal !== header.journal || typeof first.format !== "number") {
    throw new StoreError(`${path} is not a journal of sheaf/sync. It was not changed`)
  }
  if (first.format > header.format) {
    throw new StoreError(`${path} has the format ${first.format} of a later version, which this one cannot read`)
  }
  const kept = new Map<string, unknown>()
  let start = end + 1
  for (let next = bytes.indexOf("\n", start); next >= 0; next = bytes.indexOf("\n", start)) {
    const entries = entriesOf(bytes.subarray(start, next))
    // A crash can only damage the last line, whose write has not returned.
    if (entries === undefined && next + 1 === bytes.length) break
    if (entries === undefined) {
      throw new StoreError(`${path} is damaged at byte ${start}. It was not changed: restore it, or move it away`)
    }
    apply(kept, entries)
    start = next + 1
  }
  return { kept, length: start }
}

/**
 * Keeps the state in a directory, for Node, Deno and Bun on Linux and macOS: a journal, to which each write appends a line,
 * and files to be uploaded. A process that has the directory open locks it.
 */
export const fileStore = (path: string): SyncStore => {
  const directory = resolve(path)
  const journal = join(directory, "journal")
  const files = join(directory, "files")
  let kept = new Map<string, unknown>()
  /** Whether `load` has been called, and neither was rejected nor ended by `close`. */
  let isOpen = false
  let handle: FileHandle | undefined
  let release = async () => {}
  /** Bytes of the journal up to its last whole line. */
  let length = 0
  /** Bytes at which the journal is compacted. */
  let maxLength = 0
  /** Whether a write has failed, and may have left a part of a line. */
  let isTorn = false

  /** The system reports a full disk and other causes. */
  const guarded = async <A>(what: string, task: () => Promise<A>): Promise<A> => {
    try {
      return await task()
    } catch (cause) {
      if (cause instanceof StoreError || !(cause instanceof Error)) throw cause
      throw new StoreError(`${what}: ${cause.message}`, { cause })
    }
  }

  /** Opens the journal, all lines of which are whole. */
  const openJournal = async () => {
    // Otherwise a crash could bring the earlier file back, without the lines that follow.
    await syncDirectory(directory)
    length = (await stat(journal)).size
    maxLength = 2 * length + leastGrowth
    isTorn = false
    handle = await open(journal, "a")
    return handle
  }

  const closeJournal = async () => {
    const closing = handle
    handle = undefined
    await closing?.close()
  }

  const loadJournal = async () => {
    kept = new Map()
    try {
      const found = await readJournal(journal)
      kept = found.kept
      await truncate(journal, found.length)
    } catch (error) {
      if (!isMissing(error)) throw error
      await replaceFile(directory, "journal", compacted(kept))
    }
    await openJournal()
  }

  const append = async (entries: ReadonlyArray<Entry>) => {
    if (!isOpen) throw new StoreError(`${directory} is not open`)
    // A compaction that has failed leaves the journal closed: it may have replaced the file or not.
    handle ??= await openJournal()
    const line = Buffer.from(lineOf(entries))
    if (isTorn) await handle.truncate(length)
    isTorn = true
    await handle.appendFile(line)
    await handle.datasync()
    isTorn = false
    length += line.length
    apply(kept, entries)
    if (length <= maxLength) return
    await closeJournal()
    await replaceFile(directory, "journal", compacted(kept))
    await openJournal()
  }

  const close = async () => {
    try {
      await closeJournal()
    } finally {
      await release()
      isOpen = false
    }
  }

  return {
    load: () =>
      guarded(`${directory} cannot be opened`, async () => {
        if (isOpen) throw new StoreError(`${directory} is already open`)
        isOpen = true
        try {
          await mkdir(files, { recursive: true })
          release = await lock(directory)
          await removeTemporary(directory, "journal.")
          await removeTemporary(files, "")
          await loadJournal()
          return new Map(kept)
        } catch (error) {
          await close()
          throw error
        }
      }),
    write: (entries) => guarded(`${journal} cannot be written`, () => append(entries)),
    files: () =>
      guarded(`${files} cannot be read`, async () =>
        (await readdir(files)).filter((name) => !name.endsWith(temporaryEnd))
      ),
    writeFile: (name, bytes) =>
      guarded(`${files} cannot be written`, async () => void (await replaceFile(files, name, [bytes]))),
    readFile: (name) =>
      guarded(`${files} cannot be read`, async () => new Uint8Array(await readFile(join(files, name)))),
    removeFile: (name) => guarded(`${files} cannot be written`, () => rm(join(files, name), { force: true })),
    close: () => guarded(`${directory} cannot be closed`, close)
  }
}
