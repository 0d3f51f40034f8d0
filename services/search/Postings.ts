import { Index } from "flexsearch"

/** Where a term occurs in a note; `body` counts. */
export interface Occurrence {
  readonly title: boolean
  readonly tags: boolean
  readonly body: number
}

/** Counts are kept in eight steps, each with the count that it stands for: beyond a few, one more tells nothing new. */
const STEPS = [0, 1, 2, 3, 4.5, 7, 13, 30]
const FROM = [0, 1, 2, 3, 4, 6, 10, 20]

/** The slots of a term's postings. The commonest, once in the body, is the first: an array is as long as its last slot. */
export const SLOTS: ReadonlyArray<Occurrence> = Array.from({ length: 31 }, (_, slot) => ({
  title: ((slot + 1) & 8) > 0,
  tags: ((slot + 1) & 16) > 0,
  body: STEPS[(slot + 1) & 7] ?? 0
}))

/** The slot of an occurrence, which must be one: in some field at least. */
export const slotOf = ({ title, tags, body }: Occurrence): number =>
  FROM.findLastIndex((from) => body >= from) + (title ? 8 : 0) + (tags ? 16 : 0) - 1

/** Dead terms that may pile up before they are swept out, whatever the size of the index. */
const MIN_DEAD = 50_000

/**
 * The notes that contain a term, by slot, in FlexSearch's index. Its own tokenizing and scoring are replaced: the encoder
 * and the score function below hand it the terms and slots that were computed outside.
 */
export class Postings {
  #adding: { readonly terms: Array<string>; readonly slots: ReadonlyArray<number> } | undefined
  #live = 0
  #dead = 0
  readonly #index = new Index({
    tokenize: "strict",
    resolution: SLOTS.length,
    // Keeps each note's posting lists at hand; without it a removal looks through every term of the index.
    fastupdate: true,
    encode: () => this.#adding?.terms ?? [],
    score: (_content, _term, position) => this.#adding?.slots[position] ?? 0
  })

  // The table that FlexSearch hands to its storage adapters. Its `search` gives the same, but takes microseconds for each
  // term, of which a short prefix has thousands.
  readonly #lists = (this.#index as unknown as { readonly map: Map<string, Array<Array<number> | undefined>> }).map

  /** About how much memory they take: a posting is a number in its list, and a reference to that list. */
  get bytes(): number {
    return this.#live * 24
  }

  /** Adds a note that is not contained, with its distinct terms and the slot of each. */
  add(note: number, terms: Array<string>, slots: ReadonlyArray<number>): void {
    this.#adding = { terms, slots }
    try {
      this.#index.add(note, "terms")
    } finally {
      this.#adding = undefined
    }
    this.#live += terms.length
  }

  /** Removes a note that was added with `count` terms. */
  remove(note: number, count: number): void {
    this.#index.remove(note)
    this.#live -= count
    this.#dead += count
    // FlexSearch leaves the lists that became empty; sweeping when as many died as live costs each removal a constant.
    if (this.#dead < Math.max(MIN_DEAD, this.#live)) return
    this.#index.cleanup()
    this.#dead = 0
  }

  /** The notes that contain a term: one list per slot, absent ones undefined. Valid until the next change. */
  of(term: string): ReadonlyArray<ReadonlyArray<number> | undefined> {
    return this.#lists.get(term) ?? []
  }
}
