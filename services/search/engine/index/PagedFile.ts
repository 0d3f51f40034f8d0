import { closeSync, openSync, readSync, writeSync } from "node:fs"
import { crc32 } from "node:zlib"

/** Bytes of a page: the unit of reading, checksums and caching. */
export const PAGE = 16_384
/** Maximum bytes of a cached piece. Longer ones bypass the cache: the list of a common term would evict everything. */
const MAX_CACHED = 16 * PAGE
/** Maximum bytes of the reused buffer for pieces of several pages. */
const MAX_ROOM = 64 * PAGE
/** Bytes of the write buffer. */
const WRITTEN = 64 * PAGE

/** A file differs from what was written to it. */
export class DamagedFile extends Error {
  override readonly name = "DamagedFile"
}

const checked = (bytes: Buffer, sum: number | undefined): void => {
  if (crc32(bytes) !== sum) throw new DamagedFile("a page of a search index does not have its checksum")
}

/** A cache of the most recently used pages of all files, limited in bytes. */
export class PageCache {
  readonly #maxPages: number
  /** By file and page, the least recently used first. */
  readonly #pages = new Map<number, Buffer>()
  #buffer = Buffer.alloc(0)

  constructor(maxBytes: number) {
    this.#maxPages = Math.max(8, Math.floor((maxBytes - MAX_ROOM) / PAGE))
  }

  /** Bytes of memory. */
  get bytes(): number {
    return this.#pages.size * PAGE + this.#buffer.length
  }

  /** Returns the page with a key. Valid until the next call. `read` fills a page that is not cached. */
  page(key: number, read: (page: Buffer) => void): Buffer {
    let page = this.#pages.get(key)
    this.#pages.delete(key)
    if (page === undefined) {
      page = this.#freePage()
      read(page)
    }
    this.#pages.set(key, page)
    return page
  }

  /** Returns a buffer for a piece of several pages. Valid until the next call. */
  buffer(length: number): Buffer {
    if (length > MAX_ROOM) return Buffer.allocUnsafeSlow(length)
    if (this.#buffer.length < length) this.#buffer = Buffer.allocUnsafeSlow(Math.ceil((length * 1.5) / PAGE) * PAGE)
    return this.#buffer.subarray(0, length)
  }

  #freePage(): Buffer {
    if (this.#pages.size < this.#maxPages) return Buffer.allocUnsafeSlow(PAGE)
    const [key, page] = this.#pages.entries().next().value!
    this.#pages.delete(key)
    return page
  }
}

let files = 0
/** Maximum number of pages of a file: the keys of the cache are a file number times this, plus a page number. */
const MAX_PAGES = 2 ** 22

/** A file that is written once and then read at any position. Each page has a checksum. */
export class PagedFile {
  readonly size: number
  readonly path: string
  readonly #descriptor: number
  readonly #sums: Uint32Array
  readonly #cache: PageCache
  readonly #number = files++

  /** `sums`: the checksum of each page. The last page may be short. */
  constructor(path: string, size: number, sums: Uint32Array, cache: PageCache) {
    this.path = path
    this.size = size
    this.#sums = sums
    this.#cache = cache
    this.#descriptor = openSync(path, "r")
  }

  /** Returns a piece of the file. Valid until the next call. Throws `DamagedFile`. */
  read(at: number, length: number): Buffer {
    const first = Math.floor(at / PAGE)
    const last = Math.floor((at + length - 1) / PAGE)
    if (last <= first) return this.#page(first).subarray(at - first * PAGE, at - first * PAGE + length)
    if (length > MAX_CACHED) return this.readAround(at, length)
    const piece = this.#cache.buffer(length)
    for (let page = first; page <= last; page++) {
      const start = page * PAGE
      const from = Math.max(0, at - start)
      this.#page(page).copy(piece, start + from - at, from, Math.min(PAGE, at + length - start))
    }
    return piece
  }

  /** Returns a piece of the file, bypassing the cache. Valid until the next call. Throws `DamagedFile`. */
  readAround(at: number, length: number, buffer = (size: number) => this.#cache.buffer(size)): Buffer {
    const first = Math.floor(at / PAGE)
    const start = first * PAGE
    const end = Math.min(this.size, Math.ceil((at + length) / PAGE) * PAGE)
    const all = buffer(end - start)
    this.#readFully(all, start)
    for (let page = first; page * PAGE < end; page++) {
      const from = page * PAGE - start
      checked(all.subarray(from, Math.min(from + PAGE, all.length)), this.#sums[page])
    }
    return all.subarray(at - start, at - start + length)
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  #page(number: number): Buffer {
    return this.#cache.page(this.#number * MAX_PAGES + number, (page) => {
      const bytes = page.subarray(0, Math.min(PAGE, this.size - number * PAGE))
      this.#readFully(bytes, number * PAGE)
      checked(bytes, this.#sums[number])
    })
  }

  #readFully(into: Buffer, at: number): void {
    for (let done = 0; done < into.length;) {
      const count = readSync(this.#descriptor, into, done, into.length - done, at + done)
      if (count === 0) throw new DamagedFile("a file of a search index is too short")
      done += count
    }
  }
}

/** Writes a file sequentially, and computes the checksums of its pages. */
export class FileWriter {
  size = 0
  readonly sums: Array<number> = []
  readonly #descriptor: number
  readonly #buffer = Buffer.allocUnsafeSlow(WRITTEN)
  #used = 0

  constructor(path: string) {
    this.#descriptor = openSync(path, "w", 0o600)
  }

  write(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length;) {
      const count = Math.min(bytes.length - done, WRITTEN - this.#used)
      this.#buffer.set(bytes.subarray(done, done + count), this.#used)
      this.#used += count
      done += count
      if (this.#used === WRITTEN) this.flush()
    }
    this.size += bytes.length
  }

  /** Writes zeros up to a multiple of `unit`. */
  pad(unit: number): void {
    const rest = this.size % unit
    if (rest > 0) this.write(Buffer.alloc(unit - rest))
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  /** Writes the buffer. A flush that does not end at the end of a page must be the last one. */
  flush(): void {
    for (let at = 0; at < this.#used; at += PAGE) {
      this.sums.push(crc32(this.#buffer.subarray(at, Math.min(at + PAGE, this.#used))))
    }
    for (let done = 0; done < this.#used;) done += writeSync(this.#descriptor, this.#buffer, done, this.#used - done)
    this.#used = 0
  }
}
