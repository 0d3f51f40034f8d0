import { Index } from "flexsearch"
import type { Budget, Sliced } from "../concurrency/Budget.ts"
import { LoadedPostings } from "./LoadedPostings.ts"
import type { PostingList } from "./PostingList.ts"
import { type Additions, SLOT_BITS } from "./SealedPostings.ts"
import { SLOTS } from "./Slots.ts"

/** FlexSearch's keys are strings: a term's number as one character, or as two. */
const keyOf = (term: number): string =>
  term < 0xffff ? String.fromCharCode(term + 1) : String.fromCharCode((term >>> 15) | 0, (term & 0x7fff) + 1)
const termOf = (key: string): number =>
  key.length === 1 ? key.charCodeAt(0) - 1 : (key.charCodeAt(0) << 15) | (key.charCodeAt(1) - 1)

/**
 * Postings that are not sealed. What was written lately stands in FlexSearch's index, whose own tokenizing and scoring are
 * replaced: the encoder and the score function below hand it the terms and slots that were computed outside. Notes that came
 * many at a time stand in columns: they are there at once, but none of them is taken out again.
 */
export class RecentPostings {
  #adding: { readonly terms: Array<string>; readonly slots: Uint8Array } | undefined
  readonly #index = new Index({
    tokenize: "strict",
    resolution: SLOTS.length,
    // Keeps each note's posting lists at hand; without it a removal looks through every term of the index.
    fastupdate: true,
    encode: () => this.#adding?.terms ?? [],
    score: (_content, _term, position) => this.#adding?.slots[position] ?? 0
  })
  readonly #notes = new Set<number>()
  #count = 0
  readonly #loaded = new LoadedPostings()

  // The table that FlexSearch hands to its storage adapters. Its `search` gives the same, but takes microseconds for each
  // term, of which a short prefix has thousands.
  get #lists(): Map<string, Array<Array<number> | undefined>> {
    return (this.#index as unknown as { readonly map: Map<string, Array<Array<number> | undefined>> }).map
  }

  /** About how much memory they take: a term is a list of lists, a posting a number in one, and a reference to it. */
  get bytes(): number {
    return this.#lists.size * 250 + this.#count * 24 + this.#loaded.bytes
  }

  /** Postings of notes that came alone, and of those that came many at a time. */
  get count(): { readonly added: number; readonly loaded: number } {
    return { added: this.#count, loaded: this.#loaded.count }
  }

  get isEmpty(): boolean {
    return this.#notes.size === 0 && this.#loaded.count === 0
  }

  /** Whether a note is here to stay. */
  hasLoaded(note: number): boolean {
    return this.#loaded.has(note)
  }

  load(note: number, terms: ReadonlyArray<number>, slots: Uint8Array): void {
    this.#loaded.add(note, terms, slots)
  }

  add(note: number, terms: ReadonlyArray<number>, slots: Uint8Array): void {
    this.#adding = { terms: terms.map(keyOf), slots }
    try {
      this.#index.add(note, "terms")
    } finally {
      this.#adding = undefined
    }
    this.#notes.add(note)
    this.#count += terms.length
  }

  remove(note: number, terms: number): void {
    if (!this.#notes.delete(note)) return
    this.#index.remove(note)
    this.#count -= terms
  }

  /** Puts the notes of a term behind what a list holds. */
  read(term: number, into: PostingList): void {
    if (this.#loaded.count > 0) this.#loaded.read(term, into)
    if (this.#notes.size === 0) return
    const lists = this.#lists.get(keyOf(term))
    if (lists === undefined) return
    for (let slot = 0; slot < lists.length; slot++) {
      const notes = lists[slot]
      if (notes === undefined) continue
      for (let i = 0; i < notes.length; i++) into.push(notes[i]!, slot)
    }
  }

  /** All of them by term, each sorted. */
  *sorted(terms: number, budget: Budget): Sliced<Additions> {
    const ends = new Uint32Array(terms)
    const loaded = this.#loaded
    for (let posting = 0; posting < loaded.count; posting++) ends[loaded.terms[posting]!]!++
    if (budget.spend(loaded.count / 20)) yield
    for (const [key, lists] of this.#lists) {
      let found = 0
      for (const notes of lists) if (notes !== undefined) found += notes.length
      ends[termOf(key)]! += found
      if (budget.spend(2)) yield
    }
    let end = 0
    for (let term = 0; term < terms; term++) {
      const own = ends[term]!
      // Where the next posting is put; in the end, where the term ends.
      ends[term] = end
      end += own
    }
    const values = new Int32Array(end)
    for (let posting = 0; posting < loaded.count; posting++) {
      values[ends[loaded.terms[posting]!]!++] = loaded.values[posting]!
    }
    if (budget.spend(loaded.count / 10 + terms / 20)) yield
    for (const [key, lists] of this.#lists) {
      const term = termOf(key)
      let at = ends[term]!
      for (let slot = 0; slot < lists.length; slot++) {
        const notes = lists[slot]
        if (notes === undefined) continue
        for (let i = 0; i < notes.length; i++) values[at++] = (notes[i]! << SLOT_BITS) | slot
      }
      if (budget.spend(2 + (at - ends[term]!) / 8)) yield
      ends[term] = at
    }
    let steps = 0
    for (let term = 0, from = 0; term < terms; term++) {
      const until = ends[term]!
      for (let i = from + 1; i < until; i++) {
        if (values[i]! > values[i - 1]!) continue
        values.subarray(from, until).sort()
        steps += (until - from) * 2
        break
      }
      steps += (until - from) / 10
      from = until
      if ((term & 4095) === 4095 && budget.spend(steps + 200)) yield
      if ((term & 4095) === 4095) steps = 0
    }
    return { ends, values }
  }
}
