import { PostingList } from "../index/PostingList.ts"

/** The columns by note in which one search adds up, 29 bytes a note. All are zero when they are taken, but the last three. */
export class ScoreBuffers {
  /** Whether the note passes the filters. 0: not asked yet, 1: yes, 2: no. */
  readonly passes: Uint8Array
  readonly score: Float32Array
  /** The clauses that it matches, and those that it has in its title or tags, as bits. */
  readonly matched: Int32Array
  readonly named: Int32Array
  /** What the best match of the clause that is being read is worth; 0: none. */
  readonly worth: Float32Array
  /** Where `worth` is not 0: how often, by the length of the note. */
  readonly frequency: Float32Array
  /** Notes that match some clause, and those that match the one that is being read. */
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

/** Maximum number that is kept for later searches. */
const MAX_FREE = 2
const free: Array<ScoreBuffers> = []

/** Buffers for notes with numbers below `capacity`. */
export const takeBuffers = (capacity: number): ScoreBuffers => {
  const known = free.pop()
  return known !== undefined && known.passes.length >= capacity
    ? known
    : new ScoreBuffers(Math.ceil(capacity * 1.25) + 64)
}

export const giveBack = (scratch: ScoreBuffers): void => {
  if (free.length >= MAX_FREE) return
  scratch.clear()
  free.push(scratch)
}
