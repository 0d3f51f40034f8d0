import { createHash } from "node:crypto"
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { onTestFinished } from "vitest"
import type { FileItem, Item, NoteItem, ProblemItem } from "../../../services/transfers/formats/Item.ts"
import type { ReadOptions } from "../../../services/transfers/formats/ReadOptions.ts"
import { read } from "../../../services/transfers/formats/FileReader.ts"

/** The folder of real files to import, which is not part of the project. Tests that need it are skipped elsewhere. */
export const samples = join(import.meta.dirname, "../../../../shared/data")
export const hasSamples = existsSync(samples)
export const withSamples = hasSamples ? "" : " (skipped: no ../shared/data here)"

/** An id from which a test can recognise its key. */
const named = (prefix: string, key: string) =>
  `${prefix}_${createHash("sha256").update(key).digest("hex").slice(0, 20)}`
export const noteId = (key: string): string => named("nt", key)
export const fileId = (key: string): string => named("at", key)

export const scratchFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "sheaf-transfers-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface Got {
  readonly notes: ReadonlyArray<NoteItem>
  readonly files: ReadonlyArray<FileItem & { readonly bytes: Buffer; readonly failed?: string }>
  readonly problems: ReadonlyArray<ProblemItem>
  readonly note: (title: string) => NoteItem
}

const bytesOf = async (file: FileItem): Promise<{ readonly bytes: Buffer; readonly failed?: string }> => {
  const chunks: Array<Uint8Array> = []
  try {
    for await (const chunk of file.open()) chunks.push(chunk)
    return { bytes: Buffer.concat(chunks) }
  } catch (error) {
    return { bytes: Buffer.concat(chunks), failed: String(error) }
  }
}

/** Everything that is read from a file; fails if anything of it remains on disk. */
export const readAll = async (
  path: string,
  source: ReadOptions["source"],
  options: Partial<ReadOptions> = {}
): Promise<Got> => {
  const scratch = scratchFolder()
  const notes: Array<NoteItem> = []
  const files: Array<Got["files"][number]> = []
  const problems: Array<ProblemItem> = []
  const items: AsyncIterable<Item> = read(path, {
    source,
    filename: basename(path),
    scratch,
    now: new Date("2026-01-01T00:00:00Z"),
    names: { note: noteId, file: fileId },
    ...options
  })
  for await (const item of items) {
    if (item.type === "note") notes.push(item)
    else if (item.type === "problem") problems.push(item)
    else if (item.type === "file") files.push({ ...item, ...(await bytesOf(item)) })
  }
  const left = readdirSync(scratch)
  if (left.length > 0) throw new Error(`left in the scratch folder: ${left.join(", ")}`)
  const note = (title: string) => {
    const found = notes.find((each) => each.title === title)
    if (found === undefined) throw new Error(`no note "${title}" among ${notes.map((each) => each.title).join(", ")}`)
    return found
  }
  return { notes, files, problems, note }
}

/** A file with this content, in a folder that is removed after the test. */
export const fileOf = (name: string, content: string | Uint8Array): string => {
  const path = join(scratchFolder(), name)
  writeFileSync(path, content)
  return path
}

/** The reported problems, as `file: code`. */
export const reported = ({ problems }: Got): ReadonlyArray<string> =>
  problems.map(({ code, file }) => `${file}: ${code}`)
