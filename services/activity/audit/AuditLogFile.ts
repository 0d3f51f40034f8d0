import { type FileHandle, open } from "node:fs/promises"
import type { AuditEntry } from "../AuditEntry.ts"
import { type AuditLine, type ChainEnd, genesis, lineAfter, parseLine } from "./AuditLine.ts"

export type SentEntry = AuditEntry & { readonly workspace_id: string }

/** The end of a chain, as the database has it: before the lines that a killed process has written last. */
export interface StoredEnd extends ChainEnd {
  /** The hash of the first line of the file; null if it is not known. */
  readonly first_hash: string | null
}

/** Maximum bytes at the end of a file that are read: more than the lines of some batches. */
const tailBytes = 8 * 1024 * 1024

/** Reads the lines at the end of a file. Removes a line without an end, which a crash of the machine has left. */
const tailOf = async (file: FileHandle) => {
  const { size } = await file.stat()
  const from = Math.max(0, size - tailBytes)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from)
  const end = buffer.lastIndexOf(10, bytesRead - 1) + 1
  if (end < bytesRead) await file.truncate(from + end)
  const texts = buffer.subarray(0, end).toString().split("\n").slice(0, -1)
  const isWhole = from === 0
  return { isWhole, lines: (isWhole ? texts : texts.slice(1)).map(parseLine) }
}

/** The lines that were written and not stored, after a kill, a failed commit or a rotation; undefined if the file has another chain. */
const unstored = (lines: ReadonlyArray<AuditLine | undefined>, stored: StoredEnd | undefined) => {
  if (stored === undefined || lines.length === 0) return lines
  const last = lines.findLastIndex((line) => line?.hash === stored.hash)
  if (last !== -1) return lines.slice(last + 1)
  const next = lines.findIndex((line) => line?.prev === stored.hash)
  return next === -1 ? undefined : lines.slice(next)
}

/**
 * Appends a line for each entry that the file does not have yet, and returns the new end of its chain. The file is opened for
 * each batch, so that it can be renamed at any time. If it does not continue the stored chain, because lines were changed or removed, the
 * new lines follow the stored end: so the break stays visible. `until`: the time, of `performance.now()`, after which another
 * process may write.
 */
export const appendEntries = async (
  path: string,
  entries: ReadonlyArray<SentEntry>,
  stored: StoredEnd | undefined,
  until: number
) => {
  const file = await open(path, "a+", 0o600)
  try {
    const { isWhole, lines } = await tailOf(file)
    const waiting = unstored(lines, stored) ?? []
    const written = new Set(waiting.map((line) => line?.id))
    let end: ChainEnd = waiting.at(-1) ?? stored ?? genesis
    const made: Array<AuditLine> = []
    for (const entry of entries) {
      if (written.has(entry.id)) continue
      const line = lineAfter(end, entry)
      made.push(line)
      end = line
    }
    if (performance.now() > until) throw new Error("the disk took too long")
    await file.appendFile(made.map(({ text }) => `${text}\n`).join(""))
    await file.datasync()
    const [first = made[0]] = lines
    const isNew = lines.length === 0 || (isWhole && waiting.length === lines.length)
    const next: StoredEnd = {
      n: end.n,
      hash: end.hash,
      first_hash: isNew ? (first?.hash ?? null) : (stored?.first_hash ?? null)
    }
    return next
  } finally {
    await file.close()
  }
}
