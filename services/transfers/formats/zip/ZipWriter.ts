import { crc32, createDeflateRaw, deflateRawSync } from "node:zlib"
import { roomFor } from "../../../Deflate.ts"

/**
 * Writes a ZIP as a stream (APPNOTE 6.3.9, with ZIP64). It keeps only the directory line of each written entry. The
 * same entries yield the same bytes on every machine: times are in UTC, and nothing identifies the writer.
 */

const utf8Names = 1 << 11
const sizesFollow = 1 << 3
const deflated = 8
const version = { usual: 20, zip64: 45 }
const most32 = 0xffffffff
const most16 = 0xffff
/** Bytes that are passed on at a time. */
const pieceBytes = 256 * 1024
/** Files of notes are mostly images, which cannot be compressed further. */
const fast = 1

interface Written {
  readonly crc: number
  readonly packed: number
  readonly size: number
}

/** The content of an entry, as the file contains it. */
export interface Packed {
  readonly bytes: Uint8Array
  readonly crc: number
  readonly size: number
}

export const pack = (content: string | Uint8Array): Packed => {
  const bytes = typeof content === "string" ? Buffer.from(content) : content
  return { bytes: deflateRawSync(bytes, roomFor(bytes.length)), crc: crc32(bytes), size: bytes.length }
}

/** The date and time of DOS, which begin in 1980 and have steps of two seconds. */
const dosTime = (time: string): { readonly date: number; readonly time: number } => {
  const at = new Date(Math.min(Math.max(Date.parse(time), Date.UTC(1980, 0, 1)), Date.UTC(2107, 11, 31, 23, 59, 58)))
  return {
    date: ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
    time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  }
}

/** Writes, from `at` on, the fields that the header of an entry and its directory line share. */
const describe = (
  to: Buffer,
  at: number,
  name: Buffer,
  time: string,
  flags: number,
  { crc, packed, size }: Written,
  isLarge: boolean
): void => {
  const dos = dosTime(time)
  to.writeUInt16LE(isLarge ? version.zip64 : version.usual, at)
  to.writeUInt16LE(utf8Names | flags, at + 2)
  to.writeUInt16LE(deflated, at + 4)
  to.writeUInt16LE(dos.time, at + 6)
  to.writeUInt16LE(dos.date, at + 8)
  to.writeUInt32LE(crc, at + 10)
  to.writeUInt32LE(isLarge ? most32 : packed, at + 14)
  to.writeUInt32LE(isLarge ? most32 : size, at + 18)
  to.writeUInt16LE(name.length, at + 22)
}

export class ZipWriter {
  readonly #take: (piece: Uint8Array) => Promise<void>
  #waiting: Array<Uint8Array> = []
  #waitingBytes = 0
  #position = 0
  readonly #directory: Array<Uint8Array> = []

  /** `take` is awaited before the next piece. */
  constructor(take: (piece: Uint8Array) => Promise<void>) {
    this.#take = take
  }

  /** `time`: when it was last changed (RFC 3339). */
  async add(path: string, time: string, { bytes, crc, size }: Packed): Promise<void> {
    const written = { crc, packed: bytes.length, size }
    const start = this.#position
    await this.#put(this.#header(path, time, 0, written, false))
    await this.#put(bytes)
    this.#enter(path, time, 0, written, start)
  }

  /** Adds an entry that is too large for memory. `most`: an upper bound of its size in bytes. */
  async addStream(path: string, time: string, source: AsyncIterable<Uint8Array>, most: number): Promise<void> {
    const start = this.#position
    // Deflate makes incompressible data slightly larger.
    const isLarge = most * 1.01 + 1024 >= most32
    await this.#put(this.#header(path, time, sizesFollow, { crc: 0, packed: 0, size: 0 }, isLarge))
    const data = this.#position
    let crc = 0
    let size = 0
    const watched = async function* () {
      for await (const piece of source) {
        crc = crc32(piece, crc)
        size += piece.length
        yield piece
      }
    }
    for await (const piece of deflating(watched())) await this.#put(piece)
    if (size > most) throw new Error(`an entry is larger than its bound of ${most} bytes`)
    const written = { crc, packed: this.#position - data, size }
    const descriptor = Buffer.alloc(isLarge ? 24 : 16)
    descriptor.writeUInt32LE(0x08074b50, 0)
    descriptor.writeUInt32LE(crc, 4)
    if (isLarge) {
      descriptor.writeBigUInt64LE(BigInt(written.packed), 8)
      descriptor.writeBigUInt64LE(BigInt(size), 16)
    } else {
      descriptor.writeUInt32LE(written.packed, 8)
      descriptor.writeUInt32LE(size, 12)
    }
    await this.#put(descriptor)
    this.#enter(path, time, sizesFollow, written, start)
  }

  /** Writes the directory, which completes the file. */
  async end(): Promise<void> {
    const start = this.#position
    for (const line of this.#directory) await this.#put(line)
    const size = this.#position - start
    const entries = this.#directory.length
    if (entries >= most16 || start >= most32 || size >= most32) {
      const large = Buffer.alloc(56 + 20)
      large.writeUInt32LE(0x06064b50, 0)
      large.writeBigUInt64LE(44n, 4)
      large.writeUInt16LE(version.zip64, 12)
      large.writeUInt16LE(version.zip64, 14)
      large.writeBigUInt64LE(BigInt(entries), 24)
      large.writeBigUInt64LE(BigInt(entries), 32)
      large.writeBigUInt64LE(BigInt(size), 40)
      large.writeBigUInt64LE(BigInt(start), 48)
      large.writeUInt32LE(0x07064b50, 56)
      large.writeBigUInt64LE(BigInt(this.#position), 64)
      large.writeUInt32LE(1, 72)
      await this.#put(large)
    }
    const last = Buffer.alloc(22)
    last.writeUInt32LE(0x06054b50, 0)
    last.writeUInt16LE(Math.min(entries, most16), 8)
    last.writeUInt16LE(Math.min(entries, most16), 10)
    last.writeUInt32LE(Math.min(size, most32), 12)
    last.writeUInt32LE(Math.min(start, most32), 16)
    await this.#put(last)
    await this.#flush()
  }

  #header(path: string, time: string, flags: number, written: Written, isLarge: boolean): Buffer {
    const name = Buffer.from(path)
    const header = Buffer.alloc(30 + name.length + (isLarge ? 20 : 0))
    header.writeUInt32LE(0x04034b50, 0)
    describe(header, 4, name, time, flags, written, isLarge)
    header.writeUInt16LE(isLarge ? 20 : 0, 28)
    name.copy(header, 30)
    if (isLarge) {
      // Sizes of 64 bits are zero here; their values follow the data.
      header.writeUInt16LE(1, 30 + name.length)
      header.writeUInt16LE(16, 32 + name.length)
    }
    return header
  }

  /** Keeps the directory line of the entry. */
  #enter(path: string, time: string, flags: number, written: Written, start: number): void {
    const { packed, size } = written
    const name = Buffer.from(path)
    const isLarge = packed >= most32 || size >= most32 || start >= most32
    const line = Buffer.alloc(46 + name.length + (isLarge ? 28 : 0))
    line.writeUInt32LE(0x02014b50, 0)
    line.writeUInt16LE(isLarge ? version.zip64 : version.usual, 4)
    describe(line, 6, name, time, flags, written, isLarge)
    line.writeUInt16LE(isLarge ? 28 : 0, 30)
    line.writeUInt32LE(isLarge ? most32 : start, 42)
    name.copy(line, 46)
    if (isLarge) {
      const extra = 46 + name.length
      line.writeUInt16LE(1, extra)
      line.writeUInt16LE(24, extra + 2)
      line.writeBigUInt64LE(BigInt(size), extra + 4)
      line.writeBigUInt64LE(BigInt(packed), extra + 12)
      line.writeBigUInt64LE(BigInt(start), extra + 20)
    }
    this.#directory.push(line)
  }

  async #put(bytes: Uint8Array): Promise<void> {
    this.#position += bytes.length
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (this.#waitingBytes >= pieceBytes) await this.#flush()
  }

  async #flush(): Promise<void> {
    if (this.#waitingBytes === 0) return
    const piece = Buffer.concat(this.#waiting, this.#waitingBytes)
    this.#waiting = []
    this.#waitingBytes = 0
    await this.#take(piece)
  }
}

/** Compresses a source. A failure of the source fails the result too, which `pipe` would not do. */
const deflating = (source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> => {
  const deflate = createDeflateRaw({ level: fast })
  const feed = async () => {
    try {
      for await (const piece of source) {
        if (!deflate.write(piece)) await new Promise<void>((resolve) => deflate.once("drain", () => resolve()))
      }
      deflate.end()
    } catch (error) {
      deflate.destroy(error instanceof Error ? error : new Error(String(error)))
    }
  }
  void feed()
  return deflate
}
