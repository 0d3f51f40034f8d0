import { type FileHandle, open, stat } from "node:fs/promises"
import type { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { crc32, createInflateRaw, inflateRawSync } from "node:zlib"
import { openPromise, type ZipFile } from "yauzl"
import { directoryOf, type Entry, notAnArchive, type Unpacked } from "./ArchiveDirectory.ts"
import { Damaged, type Limits, type ProblemItem, Unreadable } from "./Item.ts"

/** One that fits into the memory twice over is read at once. */
const small = 64 * 1024

/**
 * A ZIP on disk, read entry by entry by its directory. Nothing is ever written by the name of an entry. What is refused of
 * it stands in `problems`; an archive that cannot be read at all is `Unreadable`.
 */
export class Archive {
  readonly entries: ReadonlyArray<Entry>
  readonly problems: ReadonlyArray<ProblemItem>
  private readonly zip: ZipFile
  private readonly file: FileHandle

  private constructor(
    zip: ZipFile,
    file: FileHandle,
    entries: ReadonlyArray<Entry>,
    problems: ReadonlyArray<ProblemItem>
  ) {
    this.zip = zip
    this.file = file
    this.entries = entries
    this.problems = problems
  }

  static async open(path: string, limits: Limits, unpacked: Unpacked): Promise<Archive> {
    const { size } = await stat(path)
    if (size === 0) throw new Unreadable("not_readable", "The file is empty")
    if (size > limits.packedBytes)
      throw new Unreadable("too_large", `The file has more than ${limits.packedBytes} bytes`)
    let zip: ZipFile
    try {
      zip = await openPromise(path, {
        autoClose: false,
        lazyEntries: true,
        decodeStrings: false,
        // One wrong size would end the whole; they are checked where bytes come out.
        validateEntrySizes: false
      })
    } catch (error) {
      throw notAnArchive(error)
    }
    const file = await open(path).catch((error: unknown) => {
      zip.close()
      throw error
    })
    try {
      const { entries, problems } = await directoryOf(zip, size, limits, unpacked)
      return new Archive(zip, file, entries, problems)
    } catch (error) {
      zip.close()
      await file.close()
      throw error
    }
  }

  async close(): Promise<void> {
    this.zip.close()
    await this.file.close()
  }

  /** The bytes of an entry; `Damaged` where they are not what the directory says. */
  async *stream(entry: Entry): AsyncGenerator<Uint8Array> {
    const { crc32: expected, compressedSize } = entry.place.entry
    const start = await this.startOf(entry)
    let size = 0
    let sum = 0
    for await (const chunk of entry.place.isDeflated
      ? inflated(this.raw(start, compressedSize))
      : this.raw(start, compressedSize)) {
      size += chunk.length
      if (size > entry.size) throw new Damaged("damaged", "It has more bytes than the archive says")
      sum = crc32(chunk, sum)
      yield chunk
    }
    this.check(entry, size, sum, expected)
  }

  /** All bytes of an entry of at most so many. */
  async bytes(entry: Entry, most: number): Promise<Buffer> {
    if (entry.size > most) throw new Damaged("too_large", `It has more than ${most} bytes`)
    const { compressedSize, crc32: expected } = entry.place.entry
    if (compressedSize > small || entry.size > 16 * small) {
      const chunks: Array<Uint8Array> = []
      for await (const chunk of this.stream(entry)) chunks.push(chunk)
      return Buffer.concat(chunks)
    }
    const packed = Buffer.allocUnsafe(compressedSize)
    const { bytesRead } = await this.file.read(packed, 0, compressedSize, await this.startOf(entry))
    if (bytesRead < compressedSize) throw new Damaged("damaged", "The archive ends within it")
    const bytes = entry.place.isDeflated ? inflatedAtOnce(packed, entry.size) : packed
    this.check(entry, bytes.length, crc32(bytes), expected)
    return bytes
  }

  private check(entry: Entry, size: number, sum: number, expected: number): void {
    if (size !== entry.size) throw new Damaged("damaged", "It has fewer bytes than the archive says")
    if (sum !== expected) throw new Damaged("damaged", "Its checksum is wrong")
  }

  private async startOf({ place }: Entry): Promise<number> {
    try {
      return (await this.zip.readLocalFileHeaderPromise(place.entry, { minimal: true })).fileDataStart
    } catch {
      // All that it can fail by is an archive that contradicts itself.
      throw new Damaged("damaged", "The archive has it at a place where it is not")
    }
  }

  private async *raw(start: number, length: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < length;) {
      const buffer = Buffer.allocUnsafe(Math.min(small, length - at))
      const { bytesRead } = await this.file.read(buffer, 0, buffer.length, start + at)
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
    throw new Damaged("damaged", "It cannot be unpacked to what the archive says")
  }
}

async function* inflated(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const inflate = createInflateRaw()
  // Its end, good or bad, is met by whoever reads what comes out.
  const done = pipeline(source, inflate).then(
    () => undefined,
    (error: unknown) => error
  )
  const chunks: Readable = inflate
  try {
    for await (const chunk of chunks) yield chunk
  } catch {
    // Told below, as what it is.
  } finally {
    inflate.destroy()
  }
  const error = await done
  if (error instanceof Damaged) throw error
  if (error !== undefined) throw new Damaged("damaged", "It cannot be unpacked")
}
