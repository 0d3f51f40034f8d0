import { PostingList } from "../index/PostingList.ts"

/** A whole column is cleared as fast as this share of it note by note. */
const FEW_SHARE = 16

/** The columns by note in which one search sums up, 30 bytes per note. All but the last three are zero when taken. */
export class ScoreBuffers {
  /** Whether the note passes the filters. 0: not tested yet, 1: yes, 2: no. */
  readonly passes: Uint8Array
  readonly score: Float32Array
  /** The clauses that the note matches, and those that match its title or tags, as bits. */
  readonly matched: Int32Array
  readonly named: Int32Array
  /** The worth of the best match of the current clause; 0: none. */
  readonly worth: Float32Array
  /** Notes that are marked within a step, as 1. */
  readonly marks: Uint8Array
  /** The normalized frequency, where `worth` is not 0. */
  readonly frequency: Float32Array
  /** Notes that match some clause, and notes that match the current clause. */
  readonly touched: Int32Array
  readonly found: Int32Array
  /** Their numbers. */
  touchedCount = 0
  foundCount = 0
  readonly list = new PostingList()
  /** The notes with all of some terms. */
  readonly common = new PostingList()

  constructor(size: number) {
    this.passes = new Uint8Array(size)
    this.score = new Float32Array(size)
    this.matched = new Int32Array(size)
    this.named = new Int32Array(size)
    this.worth = new Float32Array(size)
    this.marks = new Uint8Array(size)
    this.frequency = new Float32Array(size)
    this.touched = new Int32Array(size)
    this.found = new Int32Array(size)
  }

  /** Clears the columns, only at the notes that match some clause if these are few. */
  clear(): void {
    const { foundCount, matched, named, passes, score, touchedCount, worth } = this
    const columns = [score, matched, named, worth]
    passes.fill(0)
    if (touchedCount + foundCount > passes.length / FEW_SHARE) for (const column of columns) column.fill(0)
    else {
      for (const notes of [this.touched.subarray(0, touchedCount), this.found.subarray(0, foundCount)]) {
        for (const note of notes) score[note] = matched[note] = named[note] = worth[note] = 0
      }
    }
    this.touchedCount = 0
    this.foundCount = 0
  }
}

/** Maximum number of buffers that are kept for later searches. */
const MAX_FREE = 2
const free: Array<ScoreBuffers> = []

/** Buffers for notes with numbers below `capacity`. */
export const takeBuffers = (capacity: number): ScoreBuffers => {
  const known = free.pop()
  return known !== undefined && known.passes.length >= capacity
    ? known
    : new ScoreBuffers(Math.ceil(capacity * 1.25) + 64)
}

export const returnBuffers = (scratch: ScoreBuffers): void => {
  if (free.length >= MAX_FREE) return
  scratch.clear()
  free.push(scratch)
}
