import { Schema } from "effect"
import { pipeline } from "node:stream/promises"
import * as zlib from "node:zlib"
import { extract } from "tar-stream"
import type { BlobKey } from "../files/Blobs.ts"
import { decrypting, type Key } from "./BackupEncryption.ts"
import { BackupFailed, isSystemError } from "./BackupFailure.ts"
import { fileLine, Header, isHeader, Manifest, maxPartBytes, names, partOf, type Sum } from "./BackupFormat.ts"
import type { BackupPlace } from "./BackupPlace.ts"
import { RunningSum } from "./RunningSum.ts"

/** A part of a backup, in the order of the archive. */
export type Part =
  | { readonly kind: "header"; readonly header: Header }
  | { readonly kind: "configuration" }
  | { readonly kind: "secretKey"; readonly text: string }
  /** `content` is read to its end, or not at all. */
  | { readonly kind: "file"; readonly key: BlobKey; readonly size: number; readonly content: AsyncIterable<Uint8Array> }
  | { readonly kind: "rows"; readonly table: Header["tables"][number]; readonly piece: Uint8Array }
  | { readonly kind: "end"; readonly manifest: Manifest }

/** Maximum number of files in a backup that do not match their hash. */
export const maxUnreadable = 1000

/** Reads the bytes of a part, which must be small enough for the memory. */
const whole = async (content: AsyncIterable<Uint8Array>, size: number): Promise<Buffer> => {
  if (size > maxPartBytes) throw new Error("it is too large")
  const chunks: Array<Uint8Array> = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function* tallied(content: AsyncIterable<Uint8Array>, tally: RunningSum): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    tally.add(chunk)
    yield chunk
  }
}

/** Reads a backup, and compares each part with the manifest. */
class Reading {
  header: Header | undefined
  #manifest: Manifest | undefined
  readonly #parts = new Map<string, Sum>()
  readonly #tables = new Map<string, RunningSum>()
  readonly #files = new RunningSum()
  #fileCount = 0
  readonly #unreadable = new Map<string, BlobKey>()

  /** The part of an entry of the archive. Throws if it is damaged or unknown. */
  async *part(name: string, size: number, content: AsyncIterable<Uint8Array>): AsyncGenerator<Part> {
    if (this.#manifest !== undefined) throw new Error("it follows the manifest")
    if (this.header === undefined) {
      yield { kind: "header", header: (this.header = this.#headerOf(name, await whole(content, size))) }
      return
    }
    const found = partOf(name)
    if (found !== undefined && "file" in found) return yield* this.#file(name, found.file, size, content)
    const bytes = await whole(content, size)
    if (found !== undefined) {
      const table = this.header.tables.find((each) => each.name === found.table)
      if (table === undefined) throw new Error("the header does not have its table")
      this.#tables.set(table.name, (this.#tables.get(table.name) ?? new RunningSum()).add(bytes))
      yield { kind: "rows", table, piece: bytes }
    } else if (name === names.manifest) {
      this.#manifest = Schema.decodeSync(Schema.fromJsonString(Manifest))(bytes.toString())
    } else {
      this.#parts.set(name, RunningSum.of(bytes))
      if (name === names.secretKey) yield { kind: "secretKey", text: bytes.toString() }
      else if (name === names.configuration) yield { kind: "configuration" }
      else throw new Error("it is not a part of a backup")
    }
  }

  #headerOf(name: string, bytes: Buffer): Header {
    if (name !== names.header) throw new Error("it is not the header of a backup")
    const value: unknown = JSON.parse(bytes.toString())
    if (!isHeader(value)) throw new Error("it is not the header of a backup")
    const header = Schema.decodeUnknownOption(Header)(value)
    if (header._tag === "None") {
      throw new BackupFailed({ message: "Another version of Sheaf made this backup: use that version to restore it" })
    }
    this.#parts.set(name, RunningSum.of(bytes))
    return header.value
  }

  async *#file(name: string, key: BlobKey, size: number, entry: AsyncIterable<Uint8Array>): AsyncGenerator<Part> {
    const tally = new RunningSum()
    const content = tallied(entry, tally)
    yield { kind: "file", key, size, content }
    // The part that was not used.
    for await (const _ of content);
    this.#fileCount++
    this.#files.add(fileLine(key, size))
    if (tally.sum().sha256 === key.sha256) return
    this.#unreadable.set(name, key)
    if (this.#unreadable.size > maxUnreadable) throw new Error("it does not match its hash, like other files before it")
  }

  /** The manifest, after everything that was read has been compared with it. */
  end(): Manifest {
    const manifest = this.#manifest
    if (manifest === undefined) throw new BackupFailed({ message: "The backup is incomplete: its end is missing" })
    const damaged = (name: string, problem = "does not match its hash") =>
      new BackupFailed({ message: `The backup is damaged: ${name} ${problem}` })
    const listed = new Set(manifest.files.unreadable.map(({ sha256, workspace_id }) => `${workspace_id}/${sha256}`))
    for (const [name, { sha256, workspace_id }] of this.#unreadable) {
      if (!listed.has(`${workspace_id}/${sha256}`)) throw damaged(name)
    }
    const sums = new Map<string, Sum>([
      ...this.#parts,
      ...(this.header?.tables ?? []).map(({ name }): [string, Sum] => [
        `tables/${name}`,
        (this.#tables.get(name) ?? new RunningSum()).sum()
      ]),
      ["files", this.#files.sum()]
    ])
    const expected: ReadonlyArray<readonly [string, Sum]> = [
      ...Object.entries(manifest.parts),
      ...Object.entries(manifest.tables).map(([name, sum]) => [`tables/${name}`, sum] as const),
      ["files", manifest.files]
    ]
    for (const [name, { bytes, sha256 }] of expected) {
      const found = sums.get(name)
      if (found === undefined) throw damaged(name, "is missing")
      if (found.sha256 !== sha256 || found.bytes !== bytes) throw damaged(name)
      sums.delete(name)
    }
    for (const name of sums.keys()) throw damaged(name, "is not in the manifest")
    if (this.#fileCount !== manifest.files.count) throw damaged("files", "are more or fewer than in the manifest")
    return manifest
  }
}

/**
 * Reads a backup part by part, in little memory. An encrypted one needs its key. Throws BackupFailed, which names the
 * damaged part, or the error of the system that prevents the reading. The part "end" is the last one: the backup is
 * complete and undamaged.
 */
export async function* readBackup({ name, read }: BackupPlace, key?: Key): AsyncGenerator<Part> {
  const reading = new Reading()
  const entries = extract()
  let at: string | undefined
  // Its failure also ends the entries.
  const fed = pipeline(read(), decrypting(key), zlib.createZstdDecompress(), entries)
  fed.catch(() => {})
  const failureOf = (error: unknown): unknown =>
    error instanceof BackupFailed || isSystemError(error)
      ? error
      : new BackupFailed({
          message:
            reading.header === undefined
              ? `${name} is not a backup of Sheaf, or its beginning is damaged`
              : `The backup is damaged or incomplete at ${at}: ${error instanceof Error ? error.message : String(error)}`
        })
  try {
    for await (const entry of entries) {
      at = entry.header.name
      yield* reading.part(at, entry.header.size ?? 0, entry as AsyncIterable<Uint8Array>)
    }
    await fed
    if (at === undefined) throw new Error("it is empty")
    yield { kind: "end", manifest: reading.end() }
  } catch (error) {
    throw failureOf(error)
  } finally {
    entries.destroy()
  }
}
