import type { Budget, Sliced } from "../concurrency/Budget.ts"
import { compacting } from "./Compaction.ts"
import { Entries, type IndexedNote } from "./Entries.ts"
import { Forms } from "./Forms.ts"
import type { Spoken } from "./Query.ts"
import { ENGLISH, type Language, UNKNOWN } from "./Languages.ts"
import { NoteReader, type ReadNote } from "./NoteReader.ts"
import { eachTerm, Positions } from "./Positions.ts"
import { Postings } from "./Postings.ts"
import { Sort, Vocabulary } from "./Vocabulary.ts"

/** So much memory one index takes at most. */
const MAX_BYTES = 144 * 1024 * 1024
/** A note of so many terms is held as one of many is: FlexSearch takes 250 bytes for each term that no other note has. */
const LONG = 2_000
/** Steps of a posting. */
const POSTING = 2.5
/** So much must be dead before an index is made anew without it. */
const MIN_DEAD_BYTES = 65_536
const MIN_DEAD_TERMS = 4_096

/** What an index holds: the notes, their terms, where these stand, and in which forms they come. */
export class IndexStore {
  vocabulary: Vocabulary
  postings: Postings
  positions: Positions
  entries: Entries
  forms: Map<Language, Forms>
  readonly #maxBytes: number
  readonly #reader = new NoteReader()
  readonly #free: Array<number> = []
  #version = 0
  /** The languages of the notes with a term, as bits: what `forms` contains. Bit 0: notes of no known language. */
  #languagesOf: Int32Array
  /** Terms of notes of no known language, in the order in which `forms` takes them in. */
  #unclear: Array<number> = []
  readonly #taken = new Map<Language, number>()

  constructor(maxBytes = MAX_BYTES, held?: HeldIndex) {
    this.#maxBytes = maxBytes
    this.vocabulary = held?.vocabulary ?? new Vocabulary()
    this.postings = held?.postings ?? new Postings()
    this.positions = held?.positions ?? new Positions()
    this.entries = held?.entries ?? new Entries()
    this.forms = held?.forms ?? new Map()
    this.#languagesOf = held === undefined ? new Int32Array(1024) : held.languagesOf
    if (held !== undefined) {
      for (let term = 0; term < this.vocabulary.size; term++) {
        if ((held.languagesOf[term]! & 1) > 0) this.#unclear.push(term)
      }
      // Numbers behind the sealed ones are free; there are none below.
      for (const language of this.forms.keys()) this.#taken.set(language, 0)
    }
  }

  /** About how much memory the index takes. */
  get bytes(): number {
    let forms = this.#languagesOf.length * 4 + this.#unclear.length * 8
    for (const each of this.forms.values()) forms += each.bytes
    return this.postings.bytes + this.positions.bytes + this.vocabulary.bytes + this.entries.bytes + forms
  }

  /** Another one after each change, and while a note is added. */
  get version(): number {
    return this.#version
  }

  /** Whether it takes in no new terms. */
  get isFull(): boolean {
    return this.bytes >= this.#maxBytes
  }

  /** In which languages each term occurs, as bits. */
  get languagesOf(): Int32Array {
    return this.#languagesOf.subarray(0, this.vocabulary.size)
  }

  /** The languages of the notes; English where none is known. */
  get spoken(): Spoken {
    let best: Language = UNKNOWN
    let most = 0
    let all = 0
    for (const [language, count] of this.entries.languages) {
      if (language === UNKNOWN) continue
      all |= 1 << language
      if (count > most || (count === most && language < best)) {
        best = language
        most = count
      }
    }
    return best === UNKNOWN ? { most: ENGLISH, all: 1 << ENGLISH } : { most: best, all }
  }

  /**
   * Adds a note, or replaces the one with its id. It must be carried to its end, and nothing else be done meanwhile. An
   * index that is full takes in no new terms: its notes are found by the terms that it knows. `isOneOfMany`: many others come
   * with it.
   */
  *adding(note: IndexedNote, budget: Budget, isOneOfMany = false): Sliced<void> {
    yield* this.taking(yield* this.reading(note, budget), budget, isOneOfMany)
  }

  /** Reads a note for `taking`, without a change to what is found. */
  *reading(note: IndexedNote, budget: Budget): Sliced<ReadNote> {
    this.#version++
    const read = yield* this.#reader.reading(note, this.vocabulary, () => this.isFull, budget)
    // Each term has its place in each column, also before a note has it.
    if (this.#languagesOf.length < this.vocabulary.size) {
      const larger = new Int32Array(this.vocabulary.size * 2)
      larger.set(this.#languagesOf)
      this.#languagesOf = larger
    }
    this.#version++
    return read
  }

  /** Adds a note as it was read for this vocabulary, as `adding` does. */
  *taking(read: ReadNote, budget: Budget, isOneOfMany: boolean): Sliced<void> {
    const { language, length, note, row, slots, terms } = read
    this.remove(note.id)
    this.#version++
    const number = this.#free.pop() ?? this.entries.capacity
    this.positions.set(number, row)
    for (const term of terms) this.vocabulary.retain(term)
    if (isOneOfMany || terms.length >= LONG) this.postings.load(number, terms, slots)
    else this.postings.add(number, terms, slots)
    this.#inflect(terms, language)
    this.entries.set(number, note, { length, terms: terms.length, language })
    if (budget.spend(note.title.length + terms.length * POSTING)) yield
    this.#version++
    if (this.postings.isOverdue) yield* this.sealing(budget)
  }

  /** Removes a note; one that is not contained is no error. */
  remove(id: string): void {
    const number = this.entries.numberOf(id)
    const entry = number === undefined ? undefined : this.entries.remove(number)
    if (number === undefined || entry === undefined) return
    this.#version++
    this.postings.remove(number, entry.terms)
    const gone = new Set<number>()
    eachTerm(this.positions.of(number), (term) => term >= 0 && gone.add(term))
    for (const term of gone) this.vocabulary.release(term)
    this.positions.remove(number)
    if (this.postings.isReusable(number)) this.#free.push(number)
  }

  /** Makes the index anew without what is dead, when that is much. To be called after changes. */
  *tidying(budget: Budget): Sliced<void> {
    const { positions, vocabulary } = this
    const deadTerms = vocabulary.size - vocabulary.live
    if (
      positions.dead < Math.max(MIN_DEAD_BYTES, positions.bytes / 3) &&
      deadTerms < Math.max(MIN_DEAD_TERMS, vocabulary.live)
    ) {
      return
    }
    yield* this.settling(budget)
    const { forms, languagesOf, next, numbers, postings, rows, vocabulary: compacted } = yield* compacting(this, budget)
    // From here on at one stretch: the index is either the old or the new one.
    this.#version++
    this.entries.compact()
    this.vocabulary = compacted
    this.positions = rows
    this.postings = new Postings(postings, next)
    this.forms = forms
    this.#languagesOf = languagesOf
    this.#unclear = this.#unclear.flatMap((term) => (numbers[term]! >= 0 ? [numbers[term]!] : []))
    this.#taken.clear()
    this.#free.length = 0
  }

  /** Packs the recent postings. Meanwhile others may search and change the index, and nobody needs to carry it to its end. */
  *sealing(budget: Budget): Sliced<void> {
    yield* this.postings.sealing(() => {
      // All numbers are sealed from here on: the free ones are no longer given again.
      this.#free.length = 0
      return { terms: this.vocabulary.size, until: this.entries.capacity }
    }, budget)
  }

  /** All postings in their packed form, as a snapshot takes them. */
  *settling(budget: Budget): Sliced<void> {
    while (this.postings.hasRecent) yield* this.sealing(budget)
  }

  /**
   * The forms of a language with the terms of notes of which the language is not known: these are taken for the
   * language that is asked for.
   */
  *formsOf(language: Language, withUnclear: boolean, budget: Budget): Sliced<Forms | undefined> {
    const forms = this.forms.get(language)
    if (!withUnclear) return forms
    const all = forms ?? new Forms(language)
    this.forms.set(language, all)
    for (let taken = this.#taken.get(language) ?? 0; taken < this.#unclear.length && !budget.isSpent;) {
      const term = this.#unclear[taken++]!
      this.#taken.set(language, taken)
      if ((this.#languagesOf[term]! & (1 << language)) > 0) continue
      this.#languagesOf[term]! |= 1 << language
      all.add(term, this.vocabulary.termAt(term))
      if (budget.spend(20)) yield
    }
    return all
  }

  #inflect(terms: ReadonlyArray<number>, language: Language): void {
    const bit = 1 << language
    let forms = this.forms.get(language)
    if (language !== UNKNOWN && forms === undefined) this.forms.set(language, (forms = new Forms(language)))
    for (const term of terms) {
      if ((this.#languagesOf[term]! & bit) > 0 || this.vocabulary.sortOf(term) !== Sort.word) continue
      this.#languagesOf[term]! |= bit
      if (language === UNKNOWN) this.#unclear.push(term)
      else forms!.add(term, this.vocabulary.termAt(term))
    }
  }
}

/** What a snapshot gives back. */
export interface HeldIndex {
  readonly vocabulary: Vocabulary
  readonly postings: Postings
  readonly positions: Positions
  readonly entries: Entries
  readonly forms: Map<Language, Forms>
  readonly languagesOf: Int32Array
}
