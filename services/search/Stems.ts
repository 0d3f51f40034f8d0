import { grown } from "./Columns.ts"
import { type Language, stemOf } from "./Languages.ts"
import { hashOf } from "./Tokens.ts"

/**
 * The terms of one language by their stems, so that the inflected forms of a word find each other. Chains in columns: an
 * entry is its stem's hash, its term and the entry before it with the same place.
 */
export class Stems {
  readonly language: Language
  #size = 0
  #hashes = new Int32Array(256)
  #terms = new Int32Array(256)
  #before = new Int32Array(256)
  #heads = new Int32Array(512)

  constructor(language: Language) {
    this.language = language
  }

  get bytes(): number {
    return this.#hashes.length * 12 + this.#heads.length * 4
  }

  /** Adds a term that is not contained. Returns the hash of its stem. */
  add(number: number, term: string): number {
    const hash = this.hashOf(term)
    this.restore(number, hash)
    return hash
  }

  /** The hash of the stem of a term. */
  hashOf(term: string): number {
    return hashOf(stemOf(term, this.language))
  }

  /** Adds a term with the hash that `add` returned. */
  restore(number: number, hash: number): void {
    if (this.#size === this.#hashes.length) {
      this.#hashes = grown(this.#hashes, this.#size + 1)
      this.#terms = grown(this.#terms, this.#size + 1)
      this.#before = grown(this.#before, this.#size + 1)
      if (this.#size > this.#heads.length / 2) this.#chain(this.#heads.length * 2)
    }
    this.#hashes[this.#size] = hash
    this.#terms[this.#size] = number
    this.#link(this.#size++)
  }

  /**
   * The terms with the stem of this one, itself among them. Stems are compared by their hashes: of a million words one in
   * thousands has the form of a stranger.
   */
  of(term: string): Array<number> {
    const hash = hashOf(stemOf(term, this.language))
    const found: Array<number> = []
    for (let entry = this.#heads[hash & (this.#heads.length - 1)]!; entry > 0; entry = this.#before[entry - 1]!) {
      if (this.#hashes[entry - 1] === hash) found.push(this.#terms[entry - 1]!)
    }
    return found
  }

  *all(): Generator<{ readonly term: number; readonly hash: number }> {
    for (let entry = 0; entry < this.#size; entry++) yield { term: this.#terms[entry]!, hash: this.#hashes[entry]! }
  }

  /** All its terms. */
  get terms(): Int32Array {
    return this.#terms.subarray(0, this.#size)
  }

  /** Removes terms. */
  keep(isKept: (term: number) => boolean): void {
    let size = 0
    for (let entry = 0; entry < this.#size; entry++) {
      if (!isKept(this.#terms[entry]!)) continue
      this.#terms[size] = this.#terms[entry]!
      this.#hashes[size++] = this.#hashes[entry]!
    }
    this.#size = size
    this.#chain(this.#heads.length)
  }

  #chain(places: number): void {
    this.#heads = new Int32Array(places)
    for (let entry = 0; entry < this.#size; entry++) this.#link(entry)
  }

  #link(entry: number): void {
    const place = this.#hashes[entry]! & (this.#heads.length - 1)
    this.#before[entry] = this.#heads[place]!
    this.#heads[place] = entry + 1
  }
}
