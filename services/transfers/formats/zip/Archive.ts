import { type FileHandle, open, stat } from "node:fs/promises"
import type { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { crc32, createInflateRaw, inflateRawSync } from "node:zlib"
import { openPromise, type ZipFile } from "yauzl"
import { directoryOf, type Entry, notAnArchive, type Unpacked } from "./ArchiveDirectory.ts"
import { Damaged, type Limits, type ProblemItem, Unreadable } from "../Item.ts"

/** Whether a file begins like a ZIP. */
export const isArchive = async (path: string): Promise<boolean> => {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
    return bytesRead === 4 && ["PK\x03\x04", "PK\x05\x06", "PK\x07\x08"].includes(buffer.toString("latin1"))
  } finally {
    await file.close()
  }
}

/** Packed bytes up to which an entry is read in one piece. */
const small = 64 * 1024

/**
 * A ZIP on disk, whose entries are read by its directory. Names of entries are never used as paths to write to. Refused
 * entries are listed in `problems`; an archive that cannot be read at all throws `Unreadable`.
 */
export class Archive {
  readonly entries: ReadonlyArray<Entry>
  readonly problems: ReadonlyArray<ProblemItem>
  readonly #file: FileHandle
  readonly #size: number

  private constructor(
    file: FileHandle,
    size: number,
    entries: ReadonlyArray<Entry>,
    problems: ReadonlyArray<ProblemItem>
  ) {
    this.#file = file
    this.#size = size
    this.entries = entries
    this.problems = problems
  }

  static async open(path: string, limits: Limits, unpacked: Unpacked): Promise<Archive> {
    const { size } = await stat(path)
    if (size === 0) throw new Unreadable("not_readable", "The file is empty")
    if (size > limits.packedBytes) {
      throw new Unreadable("too_large", `The file has more than ${limits.packedBytes} bytes`)
    }
    let zip: ZipFile
    try {
      zip = await openPromise(path, {
        autoClose: false,
        lazyEntries: true,
        decodeStrings: false,
        // One wrong size would fail the whole archive; sizes are checked when an entry is read.
        validateEntrySizes: false
      })
    } catch (error) {
      throw notAnArchive(error)
    }
    try {
      const { entries, problems } = await directoryOf(zip, size, limits, unpacked)
      return new Archive(await open(path), size, entries, problems)
    } finally {
      zip.close()
    }
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  /** The bytes of an entry; throws `Damaged` if they differ from the directory. */
  async *stream(entry: Entry): AsyncGenerator<Uint8Array> {
    const { isDeflated, packed } = entry.place
    const start = await this.#startOf(entry)
    let size = 0
    let sum = 0
    for await (const chunk of isDeflated ? inflated(this.#raw(start, packed)) : this.#raw(start, packed)) {
      size += chunk.length
      if (size > entry.size) throw new Damaged("damaged", "It has more bytes than the archive states")
      sum = crc32(chunk, sum)
      yield chunk
    }
    this.#check(entry, size, sum)
  }

  /** All bytes of an entry; throws `Damaged` if there are more than `most`. */
  async bytes(entry: Entry, most: number): Promise<Buffer> {
    if (entry.size > most) throw new Damaged("too_large", `It has more than ${most} bytes`)
    const { isDeflated, packed: length } = entry.place
    if (length > small || entry.size > 16 * small) {
      const chunks: Array<Uint8Array> = []
      for await (const chunk of this.stream(entry)) chunks.push(chunk)
      return Buffer.concat(chunks)
    }
    const packed = Buffer.allocUnsafe(length)
    const { bytesRead } = await this.#file.read(packed, 0, length, await this.#startOf(entry))
    if (bytesRead < length) throw new Damaged("damaged", "The archive ends within it")
    const bytes = isDeflated ? inflatedAtOnce(packed, entry.size) : packed
    this.#check(entry, bytes.length, crc32(bytes))
    return bytes
  }

  #check(entry: Entry, size: number, sum: number): void {
    if (size !== entry.size) throw new Damaged("damaged", "It has fewer bytes than the archive states")
    if (sum !== entry.place.crc) throw new Damaged("damaged", "Its checksum is wrong")
  }

  /** The position after its local header, whose length may differ from the one in the directory. */
  async #startOf({ place }: Entry): Promise<number> {
    const header = Buffer.allocUnsafe(30)
    const { bytesRead } = await this.#file.read(header, 0, 30, place.header)
    const start = place.header + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
    if (bytesRead < 30 || header.readUInt32LE(0) !== 0x04034b50 || start + place.packed > this.#size) {
      throw new Damaged("damaged", "It is not at the place that the archive states")
    }
    return start
  }

  async *#raw(start: number, length: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < length;) {
      const buffer = Buffer.allocUnsafe(Math.min(small, length - at))
      const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, start + at)
      if (bytesRead === 0) throw new Damaged("damaged", "The archive ends within it")
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  }
}

const inflatedAtOnce = (packed: Buffer, size: number): Buffer => {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) })
  } catch {
    throw new Damaged("damaged", "It cannot be unpacked to the size that the archive states")
  }
}

async function* inflated(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const inflate = createInflateRaw()
  // The reader of the output receives the outcome.
  const done = pipeline(source, inflate).then(
    () => undefined,
    (error: unknown) => error
  )
  const chunks: Readable = inflate
  try {
    for await (const chunk of chunks) yield chunk
  } catch {
    // Reported below with its cause.
  } finally {
    inflate.destroy()
  }
  const error = await done
  if (error instanceof Damaged) throw error
  if (error !== undefined) throw new Damaged("damaged", "It cannot be unpacked")
}
