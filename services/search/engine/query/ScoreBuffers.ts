import { PostingList } from "../index/PostingList.ts"

/** The columns by note in which one search sums up, 29 bytes per note. All but the last three are zero when taken. */
export class ScoreBuffers {
  /** Whether the note passes the filters. 0: not tested yet, 1: yes, 2: no. */
  readonly passes: Uint8Array
  readonly score: Float32Array
  /** The clauses that the note matches, and those that match its title or tags, as bits. */
  readonly matched: Int32Array
  readonly named: Int32Array
  /** The worth of the best match of the current clause; 0: none. */
  readonly worth: Float32Array
  /** The normalized frequency, where `worth` is not 0. */
  readonly frequency: Float32Array
  /** Notes that match some clause, and notes that match the current clause. */
  readonly touched: Int32Array
  readonly found: Int32Array
  readonly list = new PostingList()

  constructor(size: number) {
    this.passes = new Uint8Array(size)
    this.score = new Float32Array(size)
    this.matched = new Int32Array(size)
    this.named = new Int32Array(size)
    this.worth = new Float32Array(size)
    this.frequency = new Float32Array(size)
    this.touched = new Int32Array(size)
    this.found = new Int32Array(size)
  }

  clear(): void {
    for (const column of [this.passes, this.score, this.matched, this.named, this.worth]) column.fill(0)
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
