import { AskedStems } from "./AskedStems.ts"
import { type Language, stemOf } from "./Languages.ts"

const hashOf = (text: string): number => {
  let hash = 0x811c9dc5 | 0
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash
}

const grown = (column: Int32Array, size: number): Int32Array<ArrayBuffer> => {
  const larger = new Int32Array(size)
  larger.set(column)
  return larger
}

const asked = new AskedStems((term, language) => hashOf(stemOf(term, language)))

/**
 * The terms of one language by their stems, so that the inflected forms of a word find each other. Chains in columns: an
 * entry is its stem's hash, its term and the entry before it with the same place.
 */
export class Forms {
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

  /** Adds a term that is not contained. */
  add(number: number, term: string): void {
    if (this.#size === this.#hashes.length) {
      this.#hashes = grown(this.#hashes, this.#size * 2)
      this.#terms = grown(this.#terms, this.#size * 2)
      this.#before = grown(this.#before, this.#size * 2)
      this.#chain(this.#size * 4)
    }
    this.#hashes[this.#size] = hashOf(stemOf(term, this.language))
    this.#terms[this.#size] = number
    this.#link(this.#size++)
  }

  /**
   * The terms with the stem of this one, itself among them. Stems are told apart by their hashes: of a million words one in
   * thousands has the form of a stranger.
   */
  of(term: string): Array<number> {
    const hash = asked.hashOf(term, this.language)
    const found: Array<number> = []
    for (let entry = this.#heads[hash & (this.#heads.length - 1)]!; entry > 0; entry = this.#before[entry - 1]!) {
      if (this.#hashes[entry - 1] === hash) found.push(this.#terms[entry - 1]!)
    }
    return found
  }

  /** As a snapshot keeps them. */
  columns(): { readonly hashes: Int32Array; readonly terms: Int32Array } {
    return { hashes: this.#hashes.subarray(0, this.#size), terms: this.terms }
  }

  /** All its terms. */
  get terms(): Int32Array {
    return this.#terms.subarray(0, this.#size)
  }

  /** The same under other numbers, without those whose number is -1. */
  renumbered(numbers: Int32Array): Forms {
    const { hashes, terms } = this.columns()
    const kept: Array<number> = []
    for (let entry = 0; entry < terms.length; entry++) if (numbers[terms[entry]!]! >= 0) kept.push(entry)
    return Forms.of(
      this.language,
      Int32Array.from(kept, (entry) => hashes[entry]!),
      Int32Array.from(kept, (entry) => numbers[terms[entry]!]!)
    )
  }

  static of(language: Language, hashes: Int32Array, terms: Int32Array): Forms {
    const made = new Forms(language)
    made.#size = hashes.length
    let room = 256
    while (room < made.#size) room *= 2
    made.#hashes = grown(hashes, room)
    made.#terms = grown(terms, room)
    made.#before = new Int32Array(room)
    made.#chain(room * 2)
    return made
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
