interface Kept<A> {
  readonly from: number
  readonly until: number
  readonly about: A
}

interface Generation<A> {
  readonly bytes: Buffer
  readonly texts: Map<string, Kept<A>>
  /** Bytes that were written, and those of what stands on the heap for them as well. */
  written: number
  size: number
}

/** About what a text takes on the heap, beside its key. */
const OVERHEAD = 500

const begun = <A>(bytes: Buffer): Generation<A> => ({ bytes, texts: new Map(), written: 0, size: 0 })
const nothing = Buffer.alloc(0)

/** A text or a piece of one, or its UTF-8. */
export type Piece = string | Uint8Array

const lengthOf = (piece: Piece): number => (typeof piece === "string" ? Buffer.byteLength(piece) : piece.length)

/**
 * Texts that were used lately, up to so many bytes, in two generations: when the younger one is full, it becomes the older
 * one, and what was not used since is forgotten. They lie as UTF-8 outside the heap, in memory that is written again and
 * again: as strings, what one search leaves would grow old, and every few dozen searches cost a full collection.
 */
export class KeptTexts<A> {
  readonly #half: number
  #young: Generation<A> = begun(nothing)
  #old: Generation<A> = begun(nothing)

  constructor(most: number) {
    this.#half = most / 2
  }

  /** A text, and what was told about it. Its bytes are to be read at once: others are written there later. */
  get(key: string): { readonly bytes: Buffer; readonly about: A } | undefined {
    const young = this.#young.texts.get(key)
    if (young !== undefined) return { bytes: bytesOf(this.#young, young), about: young.about }
    const old = this.#old.texts.get(key)
    if (old === undefined) return undefined
    const { bytes } = this.#old
    this.delete(key)
    // The older generation may begin anew with it, in the same memory: what is copied there may overlap.
    const from = this.#place(key, old.until - old.from, old.about)
    bytes.copy(this.#young.bytes, from, old.from, old.until)
    return { bytes: this.#young.bytes.subarray(from, from + old.until - old.from), about: old.about }
  }

  /** Keeps a text that comes in pieces. Larger ones than a sixteenth of all are not kept. */
  set(key: string, pieces: ReadonlyArray<Piece>, about: A): void {
    this.delete(key)
    const length = pieces.reduce((sum, piece) => sum + lengthOf(piece), 0)
    if (length + 2 * key.length + OVERHEAD > this.#half / 8) return
    let at = this.#place(key, length, about)
    const { bytes } = this.#young
    for (const piece of pieces) {
      if (typeof piece === "string") at += bytes.write(piece, at)
      else {
        bytes.set(piece, at)
        at += piece.length
      }
    }
  }

  delete(key: string): void {
    this.#young.texts.delete(key)
    this.#old.texts.delete(key)
  }

  /** Where a text is to be written. */
  #place(key: string, length: number, about: A): number {
    const size = length + 2 * key.length + OVERHEAD
    if (this.#young.size + size > this.#young.bytes.length) {
      const { bytes } = this.#old
      this.#old = this.#young
      // Each of the two is taken when it is needed.
      this.#young = begun(bytes.length > 0 ? bytes : Buffer.allocUnsafeSlow(this.#half))
    }
    const from = this.#young.written
    this.#young.texts.set(key, { from, until: from + length, about })
    this.#young.written += length
    this.#young.size += size
    return from
  }
}

const bytesOf = <A>({ bytes }: Generation<A>, { from, until }: Kept<A>): Buffer => bytes.subarray(from, until)
