import { Index } from "flexsearch"
import { FIELDS, type PostingList, SLOTS } from "./PostingList.ts"

/** A note until it is packed: its distinct terms, the slot of each, and its row (see `TokenRows`). */
export interface RecentNote {
  readonly terms: Int32Array
  readonly slots: Uint8Array
  readonly row: Buffer
}

/** Approximate bytes of memory per term and posting in FlexSearch, and per note. */
const BYTES = { term: 250, posting: 24, note: 300 } as const

/** FlexSearch's keys are strings: the number of a term as one or two characters. */
const keyOf = (term: number): string =>
  term < 0xffff ? String.fromCharCode(term + 1) : String.fromCharCode(term >>> 15, (term & 0x7fff) + 1)

/**
 * Recently written notes, in memory, with their postings in a FlexSearch index, from which a note can be removed at
 * once. FlexSearch's tokenizer and scores are replaced: `encode` and `score` return the terms and slots of the note
 * that is being added.
 */
export class RecentNotes {
  readonly notes = new Map<number, RecentNote>()
  #postings = 0
  #rows = 0
  #adding: { readonly keys: Array<string>; readonly slots: Uint8Array } | undefined
  readonly #index = new Index({
    tokenize: "strict",
    resolution: SLOTS,
    // Keeps the lists of each note; without it, a removal scans all terms.
    fastupdate: true,
    encode: (text) => this.#adding?.keys ?? [text],
    score: (_content, _term, position) => this.#adding?.slots[position] ?? 0
  })

  get postings(): number {
    return this.#postings
  }

  /** Bytes of memory, approximately. */
  get bytes(): number {
    // About every second posting is the first of its term.
    return this.#postings * (BYTES.posting + 5 + BYTES.term / 2) + this.#rows + this.notes.size * BYTES.note
  }

  add(number: number, note: RecentNote): void {
    this.#adding = { keys: Array.from(note.terms, keyOf), slots: note.slots }
    try {
      this.#index.add(number, "note")
    } finally {
      this.#adding = undefined
    }
    this.notes.set(number, note)
    this.#postings += note.terms.length
    this.#rows += note.row.length
  }

  remove(number: number): void {
    const note = this.notes.get(number)
    if (note === undefined) return
    this.notes.delete(number)
    this.#index.remove(number)
    this.#postings -= note.terms.length
    this.#rows -= note.row.length
  }

  /** Appends the postings of a term to a list: all, or those in some fields, as bits. */
  read(term: number, into: PostingList, fields = -1): void {
    if (this.notes.size === 0) return
    const { result } = this.#index.search(keyOf(term), { resolve: false, limit: this.notes.size })
    // The result has a list of numbers for each slot.
    const lists = result as unknown as ReadonlyArray<ReadonlyArray<number> | undefined>
    for (let slot = 0; slot < lists.length; slot++) {
      const notes = lists[slot]
      if (notes === undefined || (FIELDS[slot]! & fields) === 0) continue
      for (let i = 0; i < notes.length; i++) into.push(notes[i]!, slot)
    }
  }
}
