import { PostingList } from "./PostingList.ts"

/** The columns by note in which one search adds up, 22 bytes a note. All are zero when they are taken, but `frequency`. */
export class ScoreBuffers {
  /** Whether the note passes the filters. 0: not asked yet, 1: yes, 2: no. */
  passes = new Uint8Array(0)
  score = new Float32Array(0)
  /** The clauses that it matches, and those that it has in its title or tags, as bits. */
  matched = new Int32Array(0)
  named = new Int32Array(0)
  /** How it matches the clause that is being scored, as `Scorer` packs it; 0: not. */
  match = new Uint8Array(0)
  /** Where `match` is not 0: how often, by the length of the note. */
  frequency = new Float32Array(0)
  /** Notes that match some clause. */
  touched = new Int32Array(0)
  readonly list = new PostingList()
  /** Notes of the clause that is being scored, of a part of it, and of the whole search. */
  readonly found = new NoteList()
  readonly part = new NoteList()
  readonly enough = new NoteList()
  #terms = new Uint8Array(0)

  reserve(capacity: number): void {
    if (this.passes.length >= capacity) return
    const size = Math.ceil(capacity * 1.25) + 64
    this.passes = new Uint8Array(size)
    this.score = new Float32Array(size)
    this.matched = new Int32Array(size)
    this.named = new Int32Array(size)
    this.match = new Uint8Array(size)
    this.frequency = new Float32Array(size)
    this.touched = new Int32Array(size)
  }

  /** A column by term, all zero; its user clears it. */
  termsOf(size: number): Uint8Array {
    if (this.#terms.length < size) this.#terms = new Uint8Array(Math.ceil(size * 1.25))
    return this.#terms
  }

  /** `touched`: how many notes a search has touched that came to its end; undefined where more must be cleared. */
  clear(touched: number | undefined): void {
    this.passes.fill(0)
    if (touched === undefined || touched > this.passes.length / 8) {
      for (const column of [this.score, this.matched, this.named, this.match]) column.fill(0)
      return
    }
    for (let i = 0; i < touched; i++) {
      const note = this.touched[i]!
      this.score[note] = 0
      this.matched[note] = 0
      this.named[note] = 0
    }
  }
}

/** Maximum number that is kept for later searches. */
const MAX_FREE = 2
const free: Array<ScoreBuffers> = []

export const takeBuffers = (capacity: number): ScoreBuffers => {
  const scratch = free.pop() ?? new ScoreBuffers()
  scratch.reserve(capacity)
  return scratch
}

/** `touched`: as `clear` takes it. */
export const giveBack = (scratch: ScoreBuffers, touched?: number): void => {
  if (free.length >= MAX_FREE) return
  scratch.clear(touched)
  free.push(scratch)
}

/** Numbers of notes in a column that is written again and again. */
export class NoteList {
  count = 0
  notes = new Int32Array(1024)

  push(note: number): void {
    if (this.count === this.notes.length) this.#grow()
    this.notes[this.count++] = note
  }

  /** Those that it holds. Valid until it is written again. */
  get all(): Int32Array {
    return this.notes.subarray(0, this.count)
  }

  /** Leaves only some of them. */
  keep(isKept: (note: number) => boolean): void {
    let count = 0
    for (let i = 0; i < this.count; i++) if (isKept(this.notes[i]!)) this.notes[count++] = this.notes[i]!
    this.count = count
  }

  #grow(): void {
    const notes = new Int32Array(this.count * 2)
    notes.set(this.notes)
    this.notes = notes
  }
}
