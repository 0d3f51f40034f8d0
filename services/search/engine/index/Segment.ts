import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Budget, Sliced } from "../../../concurrency/Budget.ts"
import { FileWriter, type PageCache, PagedFile } from "./PagedFile.ts"
import { FIELDS, type PostingList, SLOT_BITS, SLOT_MASK } from "./PostingList.ts"

/** The manifest's data of a segment: see `Segment`. */
export interface SegmentHead {
  readonly name: string
  /** Unix milliseconds. */
  readonly written: number
  /** Bytes of the file. */
  readonly size: number
  /** The checksum of each page, as base64 of 32-bit numbers. */
  readonly sums: string
  /** Offset of the posting lists. */
  readonly lists: number
  /** Offset and bytes of each column. */
  readonly columns: Readonly<Record<string, readonly [at: number, bytes: number]>>
}

/** The number of notes in a segment, including removed ones. */
export const notesIn = ({ columns }: SegmentHead): number => columns["numbers"]![1] / 4

const ALIGNMENT = 8
/** Bytes that `verifying` reads at a time. */
const VERIFIED = 1_048_576

const numbersOf = (base64: string): Uint32Array => new Uint32Array(new Uint8Array(Buffer.from(base64, "base64")).buffer)
const base64Of = (numbers: ArrayLike<number>): string =>
  Buffer.from(Uint32Array.from(numbers).buffer).toString("base64")

/** Maximum bytes of a number of 32 bits. */
const MAX_VARINT = 5

/** Writes a number as bytes of seven bits, the lowest first. Returns the end. */
const writeVarint = (bytes: Buffer, start: number, value: number): number => {
  let at = start
  let rest = value
  while (rest > 127) {
    bytes[at++] = (rest & 127) | 128
    rest >>>= 7
  }
  bytes[at++] = rest
  return at
}

/** The bytes of the postings of titles in a list, which are behind the number of these bytes. */
const titlesIn = (list: Buffer): readonly [from: number, until: number] => {
  let from = 0
  let bytes = 0
  for (let shift = 0, isMore = true; isMore; shift += 7) {
    const byte = list[from++]!
    bytes |= (byte & 127) << shift
    isMore = byte > 127
  }
  return [from, from + bytes]
}

/** Appends the encoded postings to `into`. */
const decode = (bytes: Buffer, into: PostingList): void => {
  into.reserve(into.count + bytes.length)
  const { notes, slots } = into
  let { count } = into
  let note = -1
  for (let at = 0; at < bytes.length;) {
    let byte = bytes[at++]!
    let value = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++]!
      value |= (byte & 127) << shift
    }
    note += value >>> SLOT_BITS
    notes[count] = note
    slots[count++] = value & SLOT_MASK
  }
  into.count = count
}

/**
 * A file with notes of an index: their rows (see `TokenRows`), the posting list of each term, and columns by note. A
 * list begins with the notes that have the term in the title, because suggestions need only these. The file is never
 * changed. A removed note stays in the file, as a number without a note, until the segment is merged.
 */
export class Segment {
  readonly head: SegmentHead
  /** Number of notes in the file, including removed ones. */
  readonly notes: number
  /** Numbers of the removed notes. */
  readonly removed: Array<number>
  readonly #file: PagedFile
  /** The terms in ascending order, and the end of each posting list. */
  readonly terms: Int32Array
  readonly #ends: Uint32Array

  /** Opens a segment. Throws `DamagedFile`. */
  constructor(directory: string, head: SegmentHead, removed: Array<number>, cache: PageCache) {
    this.head = head
    this.removed = removed
    this.#file = new PagedFile(join(directory, head.name), head.size, numbersOf(head.sums), cache)
    this.terms = new Int32Array(this.column("terms"))
    this.#ends = new Uint32Array(this.column("ends"))
    this.notes = notesIn(head)
  }

  /** Bytes of memory, approximately. */
  get bytes(): number {
    return this.terms.length * 8 + this.removed.length * 8 + this.head.sums.length * 2 + 2_000
  }

  /** The place of a term in `terms`, or of the next higher term. */
  placeOf(term: number): number {
    const { terms } = this
    let from = 0
    let until = terms.length
    while (from < until) {
      const middle = (from + until) >>> 1
      if (terms[middle]! < term) from = middle + 1
      else until = middle
    }
    return from
  }

  /** Appends the postings of a term to a list. */
  read(term: number, into: PostingList): void {
    const place = this.placeOf(term)
    if (this.terms[place] === term) this.readAt(place, into)
  }

  /** Appends the postings of the term at a place of `terms` to a list. */
  readAt(place: number, into: PostingList, reader: Pick<PagedFile, "read"> = this.#file): void {
    const [at, length] = this.#listAt(place)
    const list = reader.read(at, length)
    const [from, until] = titlesIn(list)
    decode(list.subarray(from, until), into)
    decode(list.subarray(until), into)
  }

  /** Appends the postings of a term in titles to a list. */
  readTitles(term: number, into: PostingList): void {
    const place = this.placeOf(term)
    if (this.terms[place] !== term) return
    const [at, length] = this.#listAt(place)
    const [from, until] = titlesIn(this.#file.read(at, Math.min(length, MAX_VARINT)))
    if (until > from) decode(this.#file.read(at + from, until - from), into)
  }

  #listAt(place: number): readonly [at: number, length: number] {
    const start = place === 0 ? 0 : this.#ends[place - 1]!
    return [this.head.lists + start, this.#ends[place]! - start]
  }

  /** Returns a row. Valid until the next call. */
  row(at: number, length: number): Buffer {
    return this.#file.read(at, length)
  }

  /** Reads the whole file. Throws `DamagedFile` if a page does not have its checksum. */
  *verifying(budget: Budget): Sliced<void> {
    for (let at = 0; at < this.head.size; at += VERIFIED) {
      this.#file.readAround(at, Math.min(VERIFIED, this.head.size - at))
      if (budget.spend(VERIFIED / 256)) yield
    }
  }

  /** Returns a copy of a column. */
  column(name: string): ArrayBuffer {
    const [at, bytes] = this.head.columns[name]!
    const own = new ArrayBuffer(bytes)
    if (bytes > 0) new Uint8Array(own).set(this.#file.readAround(at, bytes))
    return own
  }

  /** A reader for sequential reads, which bypasses the cache. */
  sequentially(): Pick<PagedFile, "read"> {
    return sequentially(this.#file)
  }

  close(): void {
    this.#file.close()
  }
}

/** Bytes that are read ahead. */
const AHEAD = 512 * 1024

const sequentially = (file: PagedFile): Pick<PagedFile, "read"> => {
  let buffer: Buffer = Buffer.alloc(0)
  let window = buffer
  let start = 0
  const take = (size: number): Buffer => {
    if (buffer.length < size) buffer = Buffer.allocUnsafeSlow(size)
    return buffer.subarray(0, size)
  }
  return {
    read: (at, length) => {
      if (at < start || at + length > start + window.length) {
        window = file.readAround(at, Math.min(Math.max(length, AHEAD), file.size - at), take)
        start = at
      }
      return window.subarray(at - start, at - start + length)
    }
  }
}

let names = 0

/** Writes a segment: first the rows, then the posting lists by ascending term, then the columns. */
export class SegmentWriter {
  readonly #name: string
  readonly #writer: FileWriter
  readonly #rowLengths: Array<number> = []
  readonly #terms: Array<number> = []
  readonly #ends: Array<number> = []
  readonly #counts: Array<number> = []
  #lists = 0
  #bytes = Buffer.allocUnsafeSlow(65_536)
  readonly #head = Buffer.allocUnsafeSlow(MAX_VARINT)

  constructor(directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    this.#name = `${process.pid}-${Date.now()}-${names++}.segment`
    this.#writer = new FileWriter(join(directory, this.#name))
  }

  /** The terms whose posting lists were added. */
  get terms(): ReadonlyArray<number> {
    return this.#terms
  }

  /** Adds the row of the next note. */
  row(row: Uint8Array): void {
    this.#writer.write(row)
    this.#rowLengths.push(row.length)
  }

  beginLists(): void {
    this.#lists = this.#writer.size
  }

  /** Adds the posting list of a term: `number << SLOT_BITS | slot` per note, in ascending order. */
  list(term: number, values: Int32Array): void {
    if (this.#bytes.length < values.length * MAX_VARINT) this.#bytes = Buffer.allocUnsafeSlow(values.length * 6)
    const titles = this.#encode(values, true, 0)
    const end = this.#encode(values, false, titles)
    this.#writer.write(this.#head.subarray(0, writeVarint(this.#head, 0, titles)))
    this.#writer.write(this.#bytes.subarray(0, end))
    this.#terms.push(term)
    this.#ends.push(this.#writer.size - this.#lists)
    this.#counts.push(values.length)
  }

  /** Encodes the postings that are, or are not, in titles. Returns the end of the bytes. */
  #encode(values: Int32Array, inTitles: boolean, start: number): number {
    let at = start
    let last = -1
    for (let i = 0; i < values.length; i++) {
      const each = values[i]!
      const isInTitle = (FIELDS[each & SLOT_MASK]! & 1) > 0
      if (isInTitle !== inTitles) continue
      at = writeVarint(this.#bytes, at, each - (last << SLOT_BITS))
      last = each >>> SLOT_BITS
    }
    return at
  }

  /** Writes the columns and finishes the file. */
  finish(columns: Readonly<Record<string, NodeJS.ArrayBufferView>>): SegmentHead {
    const places: Record<string, readonly [number, number]> = {}
    const all = {
      terms: Int32Array.from(this.#terms),
      ends: Uint32Array.from(this.#ends),
      counts: Uint32Array.from(this.#counts),
      rowLengths: Uint32Array.from(this.#rowLengths),
      ...columns
    }
    for (const [name, column] of Object.entries(all)) {
      this.#writer.pad(ALIGNMENT)
      places[name] = [this.#writer.size, column.byteLength]
      this.#writer.write(new Uint8Array(column.buffer, column.byteOffset, column.byteLength))
    }
    this.#writer.flush()
    return {
      name: this.#name,
      written: Date.now(),
      size: this.#writer.size,
      sums: base64Of(this.#writer.sums),
      lists: this.#lists,
      columns: places
    }
  }

  /** Closes the file, finished or not. */
  close(): void {
    this.#writer.close()
  }
}
