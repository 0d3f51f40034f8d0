import type { Budget, Sliced } from "../budgets/Budget.ts"
import { compacting } from "./Compaction.ts"
import { Entries, type IndexedNote } from "./Entries.ts"
import { Forms } from "./Forms.ts"
import type { Spoken } from "./Query.ts"
import { ENGLISH, type Language, LanguageGuess, UNKNOWN } from "./Languages.ts"
import { eachTerm, Positions, RowWriter } from "./Positions.ts"
import { Postings } from "./Postings.ts"
import { IN_TAGS, IN_TITLE, slotOf } from "./Slots.ts"
import { HASH_SEED, hashStep, TokenReader } from "./Tokens.ts"
import { Sort, Vocabulary } from "./Vocabulary.ts"

/** So much memory one index takes at most. */
const MAX_BYTES = 144 * 1024 * 1024
/** So many distinct terms of one note are known: more than a book has. */
const MAX_NOTE_TERMS = 20_000
/** Text is read in pieces of so many steps. */
const PIECE = 8_192
/** Steps of a token, and of a posting. */
const COST = { token: 2, posting: 2.5 } as const
/** So much must be dead before an index is made anew without it. */
const MIN_DEAD_BYTES = 65_536
const MIN_DEAD_TERMS = 4_096
/** Function words that make it clear in which language a note is. */
const CLEAR = 2.5

const maxPair = 128

/** What an index holds: the notes, their terms, where these stand, and in which forms they come. */
export class IndexStore {
  vocabulary: Vocabulary
  postings: Postings
  positions: Positions
  entries: Entries
  forms: Map<Language, Forms>
  readonly #maxBytes: number
  readonly #writer = new RowWriter()
  readonly #reader = new TokenReader()
  readonly #guess = new LanguageGuess()
  readonly #free: Array<number> = []
  #version = 0
  /** The languages of the notes with a term, as bits: what `forms` contains. Bit 0: notes of no known language. */
  #languagesOf: Int32Array
  /** Terms of notes of no known language, in the order in which `forms` takes them in. */
  #unclear: Array<number> = []
  readonly #taken = new Map<Language, number>()
  // Of the note that is being added, by term.
  #counts = new Uint32Array(1024)
  #fields = new Uint8Array(1024)
  readonly #slots = new Uint8Array(MAX_NOTE_TERMS)
  readonly #pair = new Uint16Array(maxPair)

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
    this.remove(note.id)
    this.#version++
    const { vocabulary } = this
    const reader = this.#reader
    const writer = this.#writer
    const terms: Array<number> = []
    const apart: Array<number> = []
    let length = 0
    let isFull = this.isFull
    let field = 0
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
      previous = term
    }
    const countApart = (term: number) => {
      if (term < 0) return
      const before = terms.length
      count(term)
      if (terms.length > before) apart.push(term)
    }
    const countPair = (one: number, other: number) => {
      const { codes, ends } = vocabulary.scan
      let size = 0
      let hash = HASH_SEED
      for (const term of [one, other]) {
        for (let i = vocabulary.startOf(term); i < ends[term]! && size < maxPair; i++) {
          this.#pair[size++] = codes[i]!
          hash = hashStep(hash, codes[i]!)
        }
      }
      countApart(intern(this.#pair, 0, size, hash, Sort.pair))
    }

    field = IN_TITLE
    reader.begin(note.title).read(Infinity, visit)
    writer.endField()
    field = IN_TAGS
    for (const tag of note.tags) {
      previous = -1
      reader.begin(tag).read(Infinity, visit)
      writer.endField()
    }
    field = 0
    previous = -1
    reader.begin(note.body, COST.token)
    for (let isMore = true; isMore;) {
      const before = reader.spent
      isMore = reader.read(PIECE, visit)
      if (budget.spend(reader.spent - before)) yield
      isFull = this.isFull
    }
    writer.endField()
    for (const term of apart) writer.term(term)

    if (budget.spend(terms.length)) yield

    const number = this.#free.pop() ?? this.entries.capacity
    this.positions.set(number, writer.take())
    this.#guess.clear()
    for (const term of terms) {
      vocabulary.retain(term)
      const mask = vocabulary.functionMaskOf(term)
      if (mask > 0) this.#guess.add(mask, this.#counts[term]! + (this.#fields[term]! > 0 ? 1 : 0))
    }
    const language = this.#guess.best(CLEAR)
    const slots = this.#slots
    for (let i = 0; i < terms.length; i++) {
      const term = terms[i]!
      slots[i] = slotOf(this.#fields[term]!, this.#counts[term]!)
      this.#counts[term] = 0
      this.#fields[term] = 0
    }
    if (isOneOfMany) this.postings.load(number, terms, slots)
    else this.postings.add(number, terms, slots)
    this.#inflect(terms, language)
    this.entries.set(number, note, { length, terms: terms.length, language })
    if (budget.spend(note.title.length + terms.length * COST.posting)) yield
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
    if (this.#languagesOf.length < this.vocabulary.size) {
      const larger = new Int32Array(this.vocabulary.size * 2)
      larger.set(this.#languagesOf)
      this.#languagesOf = larger
    }
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

  #grow(term: number): void {
    const size = Math.max(term + 1, this.#counts.length * 2)
    const counts = new Uint32Array(size)
    counts.set(this.#counts)
    this.#counts = counts
    const fields = new Uint8Array(size)
    fields.set(this.#fields)
    this.#fields = fields
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
