/** A vault is a ZIP: each Markdown file becomes a note, folders become notebooks, other files attachments. */
import { crc32 } from "node:zlib"
import { type Entry, fromBuffer, type ZipFile } from "yauzl"
import { tagsOf } from "./markdown.ts"

export interface VaultNote {
  readonly path: string
  readonly folders: readonly string[]
  readonly title: string
  /** The whole text of the file. Encoded as UTF-8 it is equal to `bytes`. */
  readonly body: string
  readonly bytes: Buffer
  readonly tags: readonly string[]
}

export interface VaultFile {
  readonly path: string
  /** The last segment of the path. */
  readonly name: string
  readonly bytes: Buffer
}

export interface Vault {
  readonly notes: readonly VaultNote[]
  readonly files: readonly VaultFile[]
  readonly leftOut: readonly { readonly path: string; readonly why: string }[]
}

const MAX_BODY = 1_048_576
/** The maximum of the smallest plan. */
const MAX_FILE = 25 * 1024 * 1024

export const cut = (text: string, length: number): string => Array.from(text).slice(0, length).join("")

const openZip = (bytes: Buffer): Promise<ZipFile> =>
  new Promise((resolve, reject) =>
    fromBuffer(bytes, { lazyEntries: true }, (error, zip) => (error ? reject(error) : resolve(zip)))
  )

const read = (zip: ZipFile, entry: Entry): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    zip.openReadStream(entry, (error, stream) => {
      if (error) return reject(error)
      const parts: Buffer[] = []
      stream.on("data", (part: Buffer) => parts.push(part))
      stream.on("error", reject)
      stream.on("end", () => resolve(Buffer.concat(parts)))
    })
  )

const hidden = (segment: string): boolean => segment.startsWith(".") || segment === "__MACOSX"

/** The bytes of an entry, or the reason why it cannot be read. */
async function bytesOf(zip: ZipFile, entry: Entry): Promise<Buffer | string> {
  try {
    const bytes = await read(zip, entry)
    return crc32(bytes) === entry.crc32 ? bytes : "damaged: wrong checksum"
  } catch (error) {
    return `cannot be read: ${(error as Error).message}`
  }
}

async function fileOf(zip: ZipFile, entry: Entry, segments: string[]): Promise<VaultFile | string> {
  if (entry.uncompressedSize > MAX_FILE) return "larger than 25 MiB"
  const bytes = await bytesOf(zip, entry)
  return typeof bytes === "string" ? bytes : { path: entry.fileName, name: cut(segments.at(-1) ?? "", 255), bytes }
}

async function noteOf(zip: ZipFile, entry: Entry, segments: string[]): Promise<VaultNote | string> {
  if (entry.uncompressedSize > MAX_BODY) return "larger than 1 MB"
  const bytes = await bytesOf(zip, entry)
  if (typeof bytes === "string") return bytes
  const body = bytes.toString("utf8")
  if (!Buffer.from(body, "utf8").equals(bytes)) return "not UTF-8"
  if (body.includes("\0")) return "contains a NUL character"
  const file = segments.at(-1) ?? ""
  return {
    path: entry.fileName,
    folders: segments.slice(0, -1).map((name) => name.trim()),
    title: cut(file.replace(/\.(md|markdown)$/i, ""), 200).trim() || "Untitled",
    body,
    bytes,
    tags: tagsOf(body)
  }
}

export async function readVault(bytes: Buffer): Promise<Vault> {
  const zip = await openZip(bytes)
  const notes: VaultNote[] = []
  const leftOut: { path: string; why: string }[] = []
  const files: VaultFile[] = []
  await new Promise<void>((resolve, reject) => {
    const take = async (entry: Entry): Promise<void> => {
      const segments = entry.fileName.split("/").filter((segment) => segment.trim() !== "")
      if (entry.fileName.endsWith("/") || segments.some(hidden)) return
      if (!/\.(md|markdown)$/i.test(entry.fileName)) {
        const file = await fileOf(zip, entry, segments)
        if (typeof file === "string") leftOut.push({ path: entry.fileName, why: file })
        else files.push(file)
        return
      }
      const note = await noteOf(zip, entry, segments)
      if (typeof note === "string") leftOut.push({ path: entry.fileName, why: note })
      else notes.push(note)
    }
    zip.on("entry", (entry: Entry) => void take(entry).then(() => zip.readEntry(), reject))
    zip.on("end", resolve)
    zip.on("error", reject)
    zip.readEntry()
  })
  notes.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  return { notes, files, leftOut }
}
