import { createWriteStream } from "node:fs"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { Archive } from "./zip/Archive.ts"
import { type Entry, Unpacked } from "./zip/ArchiveDirectory.ts"
import { Damaged, problem, Unreadable } from "./Item.ts"
import type { Items } from "./NoteMaking.ts"
import type { Reading } from "./ReadOptions.ts"

/** Maximum depth of archives: parts are in the archive itself, or in a part of it. */
const deepest = 3
const maxParts = 1_000

export interface Options {
  /** Called with the outer archive before its files are read. */
  readonly begin?: (archive: Archive) => Promise<void>
  /** Whether a file of the archive is an archive whose files are read as files of the whole. */
  readonly isPart: (path: string) => boolean
  /** The path of a part's file in the whole; by default its path in the part. */
  readonly pathIn?: (part: string, path: string) => string
}

/** An archive and the archives in it, whose files are read as files of one archive. */
export class Parts {
  readonly archives: Array<Archive> = []
  readonly entries: Array<Entry> = []
  readonly #of = new Map<Entry, { readonly archive: Archive; readonly entry: Entry }>()
  #parts = 0
  readonly #unpacked: Unpacked
  readonly #scratch: string
  readonly #reading: Reading
  readonly #options: Options

  constructor(scratch: string, reading: Reading, options: Options) {
    this.#scratch = scratch
    this.#reading = reading
    this.#options = options
    this.#unpacked = new Unpacked(reading.limits)
  }

  /** `part`: the path and key of the archive in the whole. */
  async *open(path: string, part?: { readonly path: string; readonly key: string }, depth = 1): Items {
    const { isPart } = this.#options
    const archive = await Archive.open(path, this.#reading.limits, this.#unpacked)
    this.archives.push(archive)
    yield* archive.problems
    if (part === undefined) await this.#options.begin?.(archive)
    for (const found of archive.entries) {
      const entry = this.#placed(found, part)
      if (!isPart(entry.path) || depth >= deepest) {
        this.entries.push(entry)
        this.#of.set(entry, { archive, entry: found })
        continue
      }
      if (this.#parts++ >= maxParts)
        throw new Unreadable("too_many_entries", `The archive has more than ${maxParts} parts`)
      const file = join(this.#scratch, `part-${this.#parts}`)
      try {
        await pipeline(archive.stream(found), createWriteStream(file, { flags: "wx", mode: 0o600 }))
        yield* this.open(file, entry, depth + 1)
      } catch (error) {
        // Limits apply to the whole import; any other failure concerns this part only.
        if (!(error instanceof Damaged) || ["too_large", "too_many_entries"].includes(error.code)) throw error
        yield problem(entry.path, error.code, error.message)
      }
    }
  }

  #placed(entry: Entry, part: { readonly path: string; readonly key: string } | undefined): Entry {
    const { pathIn } = this.#options
    if (part === undefined || pathIn === undefined) return entry
    // No path contains two consecutive slashes, so no file outside the part has this key.
    return { ...entry, path: pathIn(part.path, entry.path), key: `${part.key}//${entry.key}` }
  }

  stream(entry: Entry): AsyncIterable<Uint8Array> {
    const { archive, entry: found } = this.#placeOf(entry)
    return archive.stream(found)
  }

  bytes(entry: Entry, most: number): Promise<Buffer> {
    const { archive, entry: found } = this.#placeOf(entry)
    return archive.bytes(found, most)
  }

  #placeOf(entry: Entry) {
    const place = this.#of.get(entry)
    if (place === undefined) throw new Error(`${entry.path} belongs to no part`)
    return place
  }

  async close(): Promise<void> {
    for (const archive of this.archives) await archive.close()
  }
}
