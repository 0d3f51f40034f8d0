interface Kept<A> {
  readonly from: number
  readonly until: number
  readonly about: A
}

/** A text or a piece of one, or its UTF-8. */
export type Piece = string | Uint8Array

const lengthOf = (piece: Piece): number => (typeof piece === "string" ? Buffer.byteLength(piece) : piece.length)

/** About what a text takes on the heap, beside its key: as much room is left behind each, so that it counts. */
const OVERHEAD = 500

/**
 * Texts that were used lately, up to so many bytes. They lie in a ring: the oldest makes way for the next one, and who is
 * used again shortly before that is written anew. As UTF-8 outside the heap, in memory that is written again and again: as
 * strings, what one search leaves would grow old, and every few dozen searches cost a full collection.
 */
export class KeptTexts<A> {
  readonly #most: number
  #bytes = Buffer.alloc(0)
  /** In the order of the ring, the oldest first. */
  readonly #texts = new Map<string, Kept<A>>()
  /** Where the next one is written. */
  #at = 0

  constructor(most: number) {
    this.#most = most
  }

  has(key: string): boolean {
    return this.#texts.has(key)
  }

  /** A text, and what was told about it. Its bytes are to be read at once: others are written there later. */
  get(key: string): { readonly bytes: Buffer; readonly about: A } | undefined {
    const kept = this.#texts.get(key)
    if (kept === undefined) return undefined
    const { about, from, until } = kept
    const left = from < this.#at ? from - this.#at + this.#most : from - this.#at
    if (left > this.#most / 4) return { bytes: this.#bytes.subarray(from, until), about }
    const at = this.#place(key, until - from, about)
    this.#bytes.copyWithin(at, from, until)
    return { bytes: this.#bytes.subarray(at, at + until - from), about }
  }

  /** Keeps a text that comes in pieces. Larger ones than a sixteenth of all are not kept. */
  set(key: string, pieces: ReadonlyArray<Piece>, about: A): void {
    this.delete(key)
    const length = pieces.reduce((sum, piece) => sum + lengthOf(piece), 0)
    if (length > this.#most / 16) return
    let at = this.#place(key, length, about)
    for (const piece of pieces) {
      if (typeof piece === "string") at += this.#bytes.write(piece, at)
      else {
        this.#bytes.set(piece, at)
        at += piece.length
      }
    }
  }

  delete(key: string): void {
    this.#texts.delete(key)
  }

  /** Where a text is to be written. */
  #place(key: string, length: number, about: A): number {
    // Taken when it is needed.
    if (this.#bytes.length === 0) this.#bytes = Buffer.allocUnsafeSlow(this.#most)
    this.delete(key)
    const size = length + 2 * key.length + OVERHEAD
    if (this.#at + size > this.#most) {
      this.#makeRoom(this.#at, this.#most)
      this.#at = 0
    }
    const from = this.#at
    this.#makeRoom(from, from + size)
    this.#texts.set(key, { from, until: from + length, about })
    this.#at += size
    return from
  }

  /** Forgets what lies here: nothing but the oldest ones can. */
  #makeRoom(from: number, until: number): void {
    for (const [key, kept] of this.#texts) {
      if (kept.from < from || kept.from >= until) return
      this.#texts.delete(key)
    }
  }
}
