import { Index } from "flexsearch"
import type { Budget, Sliced } from "../budgets/Budget.ts"
import { LoadedPostings } from "./LoadedPostings.ts"
import { type Additions, SealedPostings, SLOT_BITS } from "./SealedPostings.ts"

/** Where a term occurs in a note; `body` counts. */
export interface Occurrence {
  readonly title: boolean
  readonly tags: boolean
  readonly body: number
}

/** Counts are kept in eight steps, each with the count that it stands for: beyond a few, one more tells nothing new. */
const STEPS = [0, 1, 2, 3, 4.5, 7, 13, 30]
const STEP_OF = Uint8Array.from({ length: 21 }, (_, count) =>
  [0, 1, 2, 3, 4, 6, 10, 20].findLastIndex((from) => count >= from)
)

/** The slots of a term's postings. The commonest, once in the body, is the first: an array is as long as its last slot. */
export const SLOTS: ReadonlyArray<Occurrence> = Array.from({ length: 31 }, (_, slot) => ({
  title: ((slot + 1) & 8) > 0,
  tags: ((slot + 1) & 16) > 0,
  body: STEPS[(slot + 1) & 7]!
}))

/** Bits of a field in `slotOf`. */
export const [IN_TITLE, IN_TAGS] = [8, 16]

/** The slot of an occurrence, which must be one: fields as bits, and how often in the body. */
export const slotOf = (fields: number, body: number): number => STEP_OF[Math.min(body, 20)]! + fields - 1

/** Notes and slots of one term, in columns that are reused. */
export class PostingList {
  count = 0
  notes = new Int32Array(1024)
  slots = new Uint8Array(1024)

  push(note: number, slot: number): void {
    if (this.count === this.notes.length) this.reserve(this.count * 2)
    this.notes[this.count] = note
    this.slots[this.count++] = slot
  }

  reserve(size: number): void {
    if (size <= this.notes.length) return
    const notes = new Int32Array(size)
    notes.set(this.notes)
    this.notes = notes
    const slots = new Uint8Array(size)
    slots.set(this.slots)
    this.slots = slots
  }
}

/** FlexSearch's keys are strings: a term's number as one character, or as two. */
const keyOf = (term: number): string =>
  term < 0xffff ? String.fromCharCode(term + 1) : String.fromCharCode((term >>> 15) | 0, (term & 0x7fff) + 1)
const termOf = (key: string): number =>
  key.length === 1 ? key.charCodeAt(0) - 1 : (key.charCodeAt(0) << 15) | (key.charCodeAt(1) - 1)

/** So many recent postings are sealed together; in a large index more, so that sealing costs each the same. */
const MIN_RECENT = 64_000
const RECENT_SHARE = 1 / 32
/** And so many of notes that came together. */
const MAX_LOADED = 512 * 1024

/**
 * The notes that contain a term, by slot. What was written lately stands in FlexSearch's index, whose own tokenizing and
 * scoring are replaced: the encoder and the score function below hand it the terms and slots that were computed outside.
 * Notes that came many at a time stand in columns: they are there at once, but none of them is taken out again. From time to
 * time both are sealed: packed into bytes, which take a tenth of the memory and are a snapshot as they are.
 */
export class Postings {
  #adding: { readonly terms: Array<string>; readonly slots: Uint8Array } | undefined
  #recent = this.#flexSearch()
  readonly #recentNotes = new Set<number>()
  #recentPostings = 0
  #loaded = new LoadedPostings()
  #sealed: SealedPostings
  /** Notes from here on may be recent; those before are sealed. */
  #sealedUntil: number

  constructor(sealed = new SealedPostings(), sealedUntil = 0) {
    this.#sealed = sealed
    this.#sealedUntil = sealedUntil
  }

  #flexSearch(): Index {
    return new Index({
      tokenize: "strict",
      resolution: SLOTS.length,
      // Keeps each note's posting lists at hand; without it a removal looks through every term of the index.
      fastupdate: true,
      encode: () => this.#adding?.terms ?? [],
      score: (_content, _term, position) => this.#adding?.slots[position] ?? 0
    })
  }

  // The table that FlexSearch hands to its storage adapters. Its `search` gives the same, but takes microseconds for each
  // term, of which a short prefix has thousands.
  get #lists(): Map<string, Array<Array<number> | undefined>> {
    return (this.#recent as unknown as { readonly map: Map<string, Array<Array<number> | undefined>> }).map
  }

  /** About how much memory they take: a recent term is a list of lists, a posting a number in one, and a reference to it. */
  get bytes(): number {
    return this.#lists.size * 250 + this.#recentPostings * 24 + this.#loaded.bytes + this.#sealed.bytes
  }

  get sealed(): SealedPostings {
    return this.#sealed
  }

  /** Whether the recent ones are so many that sealing them pays. */
  get isDue(): boolean {
    const { length } = this.#sealed.packed
    return this.#recentPostings >= Math.max(MIN_RECENT, length * RECENT_SHARE) || this.#loaded.count >= MAX_LOADED
  }

  get hasRecent(): boolean {
    return this.#recentNotes.size > 0 || this.#loaded.count > 0
  }

  /** Whether a number may be given to another note: only FlexSearch has held it. */
  isReusable(note: number): boolean {
    return note >= this.#sealedUntil && !this.#loaded.has(note)
  }

  /** Adds one of many notes, as `add` does. */
  load(note: number, terms: ReadonlyArray<number>, slots: Uint8Array): void {
    this.#loaded.add(note, terms, slots)
  }

  /** Adds a note that is not contained, with its distinct terms and the slot of each. */
  add(note: number, terms: ReadonlyArray<number>, slots: Uint8Array): void {
    this.#adding = { terms: terms.map(keyOf), slots }
    try {
      this.#recent.add(note, "terms")
    } finally {
      this.#adding = undefined
    }
    this.#recentNotes.add(note)
    this.#recentPostings += terms.length
  }

  /** Removes a note of so many terms. Of a sealed one the postings stay: nobody asks for its number any more. */
  remove(note: number, terms: number): void {
    if (!this.#recentNotes.delete(note)) return
    this.#recent.remove(note)
    this.#recentPostings -= terms
  }

  /** Reads the notes of a term, removed ones among them, into a list. */
  read(term: number, into: PostingList): void {
    into.count = 0
    this.#sealed.read(term, into)
    if (this.#loaded.count > 0) this.#loaded.read(term, into)
    if (this.#recentNotes.size === 0) return
    const lists = this.#lists.get(keyOf(term))
    if (lists === undefined) return
    for (let slot = 0; slot < lists.length; slot++) {
      const notes = lists[slot]
      if (notes === undefined) continue
      for (let i = 0; i < notes.length; i++) into.push(notes[i]!, slot)
    }
  }

  /** Packs the recent notes, all of whose numbers are below `until`, behind the sealed ones. */
  *sealing(terms: number, until: number, budget: Budget): Sliced<void> {
    const additions = yield* this.#additions(terms, budget)
    const sealed = yield* this.#sealed.extending(additions, budget)
    this.#sealed = sealed
    this.#sealedUntil = until
    this.#recentNotes.clear()
    this.#recentPostings = 0
    this.#recent = this.#flexSearch()
    this.#loaded = new LoadedPostings()
  }

  /** What is not sealed yet, by term, each sorted. */
  *#additions(terms: number, budget: Budget): Sliced<Additions> {
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
