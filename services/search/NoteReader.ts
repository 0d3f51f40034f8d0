import type { Budget, Sliced } from "../concurrency/Budget.ts"
import type { IndexedNote } from "./NoteTable.ts"
import { type Language, LanguageGuess } from "./Languages.ts"
import { NumberGroups } from "./NumberGroups.ts"
import { RowWriter } from "./TokenRows.ts"
import { IN_TAGS, IN_TITLE, slotOf } from "./Occurrences.ts"
import { HASH_SEED, hashStep, isHyphened, TokenReader } from "./Tokens.ts"
import { Sort, type Vocabulary } from "./Vocabulary.ts"

/** Maximum number of distinct terms of a note: more than a book has. */
const MAX_NOTE_TERMS = 20_000
/** Grouped numbers of one note that are found as one: more are data. */
const MAX_NUMBERS = 256
/** Steps of a piece of text. */
const PIECE = 8_192
/** Steps of a token. */
const TOKEN = 2
/** Function words that make it clear in which language a note is. */
const CLEAR = 2.5

/** Codes of a term that stands in no text as it is. */
const MAX_APART = 128

/** What an index takes of a note. */
export interface ReadNote {
  /** Its distinct terms, and the slot of each. */
  readonly terms: ReadonlyArray<number>
  readonly slots: Uint8Array
  /** Its row in the positions. */
  readonly row: Uint8Array
  /** Tokens of its body. */
  readonly length: number
  readonly language: Language
}

/** Reads notes for an index, one after the other: their texts become terms, which its vocabulary takes in. */
export class NoteReader {
  readonly #writer = new RowWriter()
  readonly #reader = new TokenReader()
  readonly #guess = new LanguageGuess()
  // Of the note that is being read, by term.
  #counts = new Uint32Array(1024)
  #fields = new Uint8Array(1024)
  readonly #apart = new Uint16Array(MAX_APART)
  readonly #groups = new NumberGroups()

  #grow(term: number): void {
    const size = Math.max(term + 1, this.#counts.length * 2)
    const counts = new Uint32Array(size)
    counts.set(this.#counts)
    this.#counts = counts
    const fields = new Uint8Array(size)
    fields.set(this.#fields)
    this.#fields = fields
  }

  /**
   * Reads a note. It must be carried to its end, and no other be read meanwhile. Where the index is full, its vocabulary
   * takes in no new terms.
   */
  *reading(note: IndexedNote, vocabulary: Vocabulary, full: () => boolean, budget: Budget): Sliced<ReadNote> {
    const reader = this.#reader
    const writer = this.#writer
    const groups = this.#groups
    const terms: Array<number> = []
    const apart: Array<number> = []
    let length = 0
    let isFull = full()
    let field = 0
    let text = ""
    let numbers = 0
    let previous = -1

    const count = (term: number) => {
      if (term >= this.#counts.length) this.#grow(term)
      if (this.#counts[term] === 0 && this.#fields[term] === 0) terms.push(term)
      if (field === 0) this.#counts[term]!++
      else this.#fields[term]! |= field
    }
    /** The number of a term that may be taken in, or -1. */
    const intern = (codes: Uint16Array, from: number, until: number, hash: number, sort: Sort): number => {
      if (!isFull && terms.length < MAX_NOTE_TERMS) return vocabulary.intern(codes, from, until, hash, sort)
      const known = vocabulary.find(codes, from, until, hash, sort)
      if (known < 0 || terms.length < MAX_NOTE_TERMS) return known
      return known < this.#counts.length && (this.#counts[known]! > 0 || this.#fields[known]! > 0) ? known : -1
    }
    const visit = () => {
      if (field === 0) length++
      const sort = reader.unspaced ? Sort.unspaced : Sort.word
      const term = intern(reader.codes, 0, reader.length, reader.hash, sort)
      if (term < 0) {
        // What is left out stands between its neighbours.
        writer.gap()
        previous = -1
        return
      }
      if (reader.link === "gap") writer.gap()
      writer.term(term)
      count(term)
      // Pairs of characters: single ones are in too many notes to find words by.
      if (reader.link === "glued" && previous >= 0) countPair(previous, term)
      for (let part = 0; part < reader.partCount; part++) {
        const from = reader.partStarts[part]!
        const until = reader.partEnds[part]!
        let hash = HASH_SEED
        for (let i = from; i < until; i++) hash = hashStep(hash, reader.codes[i]!)
        countApart(intern(reader.codes, from, until, hash, Sort.part))
      }
      if (isHyphened(text, reader.start)) countText(`-${reader.term}`)
      for (const { number } of groups.next(reader.codes, reader.length, reader.start, reader.end)) {
        if (numbers++ < MAX_NUMBERS) countText(number)
      }
      previous = term
    }
    const begin = (next: string, stepsOfVisit = 0): TokenReader => {
      text = next
      groups.begin(next)
      previous = -1
      return reader.begin(next, stepsOfVisit)
    }
    const countApart = (term: number) => {
      if (term < 0) return
      const before = terms.length
      count(term)
      if (terms.length > before) apart.push(term)
    }
    const countPair = (one: number, other: number) => {
      const { codes, lengths, starts } = vocabulary.scan
      let size = 0
      let hash = HASH_SEED
      for (const term of [one, other]) {
        const end = starts[term]! + lengths[term]!
        for (let i = starts[term]!; i < end && size < MAX_APART; i++) {
          this.#apart[size++] = codes[i]!
          hash = hashStep(hash, codes[i]!)
        }
      }
      countApart(intern(this.#apart, 0, size, hash, Sort.pair))
    }
    /** A part that does not stand in the text as it is. */
    const countText = (term: string) => {
      let hash = HASH_SEED
      for (let i = 0; i < term.length; i++) {
        this.#apart[i] = term.charCodeAt(i)
        hash = hashStep(hash, this.#apart[i]!)
      }
      countApart(intern(this.#apart, 0, term.length, hash, Sort.part))
    }

    field = IN_TITLE
    begin(note.title).read(Infinity, visit)
    writer.endField()
    field = IN_TAGS
    for (const tag of note.tags) {
      begin(tag).read(Infinity, visit)
      writer.endField()
    }
    field = 0
    begin(note.body, TOKEN)
    for (let isMore = true; isMore;) {
      const before = reader.spent
      isMore = reader.read(PIECE, visit)
      if (budget.spend(reader.spent - before)) yield
      isFull = full()
    }
    writer.endField()
    for (const term of apart) writer.term(term)

    if (budget.spend(terms.length)) yield

    this.#guess.clear()
    const slots = new Uint8Array(terms.length)
    for (let i = 0; i < terms.length; i++) {
      const term = terms[i]!
      const mask = vocabulary.functionMaskOf(term)
      if (mask > 0) this.#guess.add(mask, this.#counts[term]! + (this.#fields[term]! > 0 ? 1 : 0))
      slots[i] = slotOf(this.#fields[term]!, this.#counts[term]!)
      this.#counts[term] = 0
      this.#fields[term] = 0
    }
    const row = new Uint8Array(writer.take())
    return { terms, slots, row, length, language: this.#guess.best(CLEAR) }
  }
}
