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

  /** A text, and what was told about it. */
  get(key: string): { readonly text: string; readonly about: A } | undefined {
    const young = this.#young.texts.get(key)
    if (young !== undefined) return { text: textOf(this.#young, young), about: young.about }
    const old = this.#old.texts.get(key)
    if (old === undefined) return undefined
    const text = textOf(this.#old, old)
    // Also where the older generation begins anew with it: it is read before anything is written there.
    const { bytes } = this.#old
    this.delete(key)
    const from = this.#place(key, old.until - old.from, old.about)
    bytes.copy(this.#young.bytes, from, old.from, old.until)
    return { text, about: old.about }
  }

  /** Keeps a text that comes in pieces. Larger ones than a sixteenth of all are not kept. */
  set(key: string, pieces: ReadonlyArray<string>, about: A): void {
    this.delete(key)
    const length = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0)
    if (length + 2 * key.length + OVERHEAD > this.#half / 8) return
    let at = this.#place(key, length, about)
    for (const piece of pieces) at += this.#young.bytes.write(piece, at)
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

const textOf = <A>({ bytes }: Generation<A>, { from, until }: Kept<A>): string => bytes.toString("utf8", from, until)
