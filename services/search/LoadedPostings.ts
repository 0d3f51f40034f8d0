import { SLOT_BITS } from "./SealedPostings.ts"
import type { PostingList } from "./PostingList.ts"

const FIRST_ROOM = 16_384

/** Postings of notes that came many at a time, as they came: columns, and of each term a chain of its own from the last on. */
export class LoadedPostings {
  count = 0
  /** Of each posting its term, and its note and slot as one number. */
  terms = new Int32Array(FIRST_ROOM)
  values = new Int32Array(FIRST_ROOM)
  /** The posting before of the same term, plus one; and by term the last one, plus one. */
  #before = new Int32Array(FIRST_ROOM)
  #lasts = new Int32Array(FIRST_ROOM)
  readonly #notes = new Set<number>()

  get bytes(): number {
    return this.terms.length * 12 + this.#lasts.length * 4 + this.#notes.size * 40
  }

  has(note: number): boolean {
    return this.#notes.has(note)
  }

  add(note: number, terms: ReadonlyArray<number>, slots: Uint8Array): void {
    if (this.count + terms.length > this.terms.length) this.#grow(this.count + terms.length)
    this.#notes.add(note)
    let { count } = this
    for (let i = 0; i < terms.length; i++) {
      const term = terms[i]!
      if (term >= this.#lasts.length) {
        const lasts = new Int32Array(term * 2)
        lasts.set(this.#lasts)
        this.#lasts = lasts
      }
      this.terms[count] = term
      this.values[count] = (note << SLOT_BITS) | slots[i]!
      this.#before[count] = this.#lasts[term]!
      this.#lasts[term] = ++count
    }
    this.count = count
  }

  read(term: number, into: PostingList): void {
    if (term >= this.#lasts.length) return
    const mask = (1 << SLOT_BITS) - 1
    for (let posting = this.#lasts[term]!; posting > 0; posting = this.#before[posting - 1]!) {
      const value = this.values[posting - 1]!
      into.push(value >>> SLOT_BITS, value & mask)
    }
  }

  #grow(least: number): void {
    const size = Math.max(least, this.terms.length * 2)
    const grown = (column: Int32Array) => {
      const larger = new Int32Array(size)
      larger.set(column)
      return larger
    }
    this.terms = grown(this.terms)
    this.values = grown(this.values)
    this.#before = grown(this.#before)
  }
}
