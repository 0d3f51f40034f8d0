import { NoteList } from "./NoteList.ts"
import { PostingList } from "./PostingList.ts"

/** Columns by note in which one search reckons, all zero when they are taken, but for those that `kind` or `common` makes valid. */
export class Scratch {
  /** Of a note: whether it passes the filters. 0: not asked yet, 1: yes, 2: no. */
  passes = new Uint8Array(0)
  score = new Float64Array(0)
  /** The weight of the clauses that it matches, and which ones, as bits. */
  coverage = new Float64Array(0)
  matched = new Int32Array(0)
  /** What the clauses weigh that it has in its title or tags. */
  named = new Float64Array(0)
  /** Of the clause at hand: the best kind plus one, and where that is not 0 the frequency, the quality, and whether it stands in title or tags. */
  kind = new Uint8Array(0)
  frequency = new Float64Array(0)
  quality = new Float64Array(0)
  inField = new Uint8Array(0)
  /** Of a note in `common`: the lowest frequency of the parts, and whether each stands in title or tags. */
  partFrequency = new Float64Array(0)
  partInField = new Uint8Array(0)
  /** Notes that match some clause, and how many there are. */
  touched = new Int32Array(0)
  readonly list = new PostingList()
  /** Notes of the clause at hand, of a part of it, of all its parts so far, and of the whole search. */
  readonly found = new NoteList()
  readonly part = new NoteList()
  readonly common = new NoteList()
  readonly enough = new NoteList()
  #terms = new Uint8Array(0)

  reserve(capacity: number): void {
    if (this.passes.length >= capacity) return
    const size = Math.ceil(capacity * 1.25) + 64
    this.passes = new Uint8Array(size)
    this.score = new Float64Array(size)
    this.coverage = new Float64Array(size)
    this.matched = new Int32Array(size)
    this.named = new Float64Array(size)
    this.kind = new Uint8Array(size)
    this.frequency = new Float64Array(size)
    this.quality = new Float64Array(size)
    this.inField = new Uint8Array(size)
    this.partFrequency = new Float64Array(size)
    this.partInField = new Uint8Array(size)
    this.touched = new Int32Array(size)
  }

  /** A column by term; whoever uses it clears it. */
  termsOf(size: number): Uint8Array {
    if (this.#terms.length < size) this.#terms = new Uint8Array(Math.ceil(size * 1.25))
    return this.#terms
  }

  /** Of a search that came to its end only the notes that it touched, so many, are cleared: a large index has many more. */
  clear(touched: number | undefined): void {
    this.passes.fill(0)
    if (touched === undefined || touched > this.passes.length / 8) {
      for (const column of [this.score, this.coverage, this.matched, this.named, this.kind]) column.fill(0)
      return
    }
    for (let i = 0; i < touched; i++) {
      const note = this.touched[i]!
      this.score[note] = 0
      this.coverage[note] = 0
      this.matched[note] = 0
      this.named[note] = 0
    }
  }
}

/** Most that are kept for the searches to come. */
const MAX_FREE = 2
const free: Array<Scratch> = []

export const takeScratch = (capacity: number): Scratch => {
  const scratch = free.pop() ?? new Scratch()
  scratch.reserve(capacity)
  return scratch
}

/** `touched`: of a search that has cleared what it wrote otherwise. */
export const giveBack = (scratch: Scratch, touched?: number): void => {
  if (free.length >= MAX_FREE) return
  scratch.clear(touched)
  free.push(scratch)
}
