import type { Budget, Sliced } from "../../../concurrency/Budget.ts"
import { NEARLY_AS_LIKELY } from "./Correction.ts"
import { best, newestOf } from "./Comparators.ts"
import { type Expanded, expand, Kind, misspelt, partsOf } from "./Expansion.ts"
import type { Filters } from "./Filters.ts"
import type { IndexStore } from "../index/IndexStore.ts"
import {
  eachWithSequence,
  hasPhrase,
  notesWithAll,
  numbersOf,
  phraseOf,
  ROW_BYTE,
  type VisitNote
} from "./PhraseMatcher.ts"
import { COUNTS, FIELDS } from "../index/PostingList.ts"
import { wordOf, type Clause, type Sequence, type Word } from "./Clauses.ts"
import type { Query } from "./Query.ts"
import { FEW, Ranking } from "./Ranking.ts"
import type { ScoreBuffers } from "./ScoreBuffers.ts"
import { type Reading, Scorer, STEPS, weightOf } from "./Scorer.ts"
import { apart, spaced } from "./Spellings.ts"
import { Sort } from "../index/Vocabulary.ts"

/** Steps per letter to split a word. */
const STEPS_OF_LETTER = 4
/** Optional sequences are not looked up when more notes than this have their rarest part. */
const MAX_LOOKS = 20_000
/** Once enough notes are found, spellings with a part in more notes than this are skipped. */
const MANY = 5_000
/** Weight that is added when the parts of a word are adjacent, or a note has an option, as a share of the words'. */
const BOOST = 0.3

/** Weight of the adjacent words as one rare word, in relation to the sum of the weights of the words. */
const CHUNK = 2
/** Weight that is added when a note writes the whole query as one word, as a share of the weight of this word. */
const WHOLE = 0.6
/** Maximum number of notes in which a line is looked up. */
const MAX_LINES = 200

/** One search over an index: each clause is expanded and scored, with typing errors if necessary; notes are ranked. */
export class Matcher {
  /** The clauses, then the phrases, then the options that some note has. */
  readonly readings: Array<Reading>
  readonly #store: IndexStore
  readonly #query: Query
  readonly #scratch: ScoreBuffers
  readonly #budget: Budget
  readonly #scorer: Scorer
  readonly #ranking: Ranking

  constructor(store: IndexStore, query: Query, filters: Filters, scratch: ScoreBuffers, budget: Budget) {
    this.#store = store
    this.#query = query
    this.#scratch = scratch
    this.#budget = budget
    this.readings = [...query.clauses, ...query.phrases].map((clause, index) => readingOf(clause, 1 << index))
    this.#scorer = new Scorer(store, query, filters, scratch, budget)
    this.#ranking = new Ranking(store, query, this.readings, this.#scorer, scratch, budget)
  }

  /** The matching notes, unordered. Their scores, from 0 to 1, are in the `ScoreBuffers`. */
  *matching(): Sliced<Int32Array> {
    const { clauses, excluded } = this.#query
    for (const each of excluded) yield* this.#sequence(each, Infinity, (note) => this.#scorer.exclude(note))
    if (this.readings.length === 0) return yield* this.#scorer.everything()
    const wanted = this.readings.slice(0, clauses.length)
    for (const phrase of this.readings.slice(clauses.length)) {
      yield* this.#read(phrase, true)
      this.#scorer.required |= phrase.bit
    }
    yield* this.#readWanted(wanted)
    for (const reading of wanted) if (reading.found < FEW) yield* this.#allowTypos(reading)
    yield* this.#boost()
    return yield* this.#ranking.ranked()
  }

  /**
   * Finds the notes with each clause. For a short query the notes with all words suffice, unless they are few: the
   * rarest word is read first, and of each further word only the notes with all words before it, or with this word in
   * title or tags: a title with most of the words may be the meant one.
   */
  *#readWanted(wanted: ReadonlyArray<Reading>): Sliced<void> {
    const { isSentence } = this.#scorer
    for (const reading of wanted) {
      const { clause } = reading
      if (clause.kind === "sequence") continue
      reading.expanded = yield* expand(this.#store, clause, this.#query.language, this.#budget)
      if (this.#budget.spend(clause.term.length * STEPS_OF_LETTER)) yield
      reading.ways = apart(this.#store, clause.term)
    }
    if (!isSentence && wanted.length > 1) {
      let isEnough = true
      for (const reading of wanted.toSorted((a, b) => this.#notesWith(a) - this.#notesWith(b))) {
        yield* this.#read(reading)
        isEnough = this.#scorer.complete >= FEW
        if (!isEnough) break
        this.#scorer.expected |= reading.bit
      }
      this.#scorer.expected = 0
      if (isEnough) return
    }
    for (const reading of wanted) yield* this.#read(reading)
  }

  /** The number of notes with the exact word of a clause. */
  #notesWith({ clause }: Reading): number {
    if (clause.kind === "sequence") return Infinity
    const { vocabulary } = this.#store
    const number = vocabulary.numberOf(clause.term, Sort.word)
    return number === undefined ? 0 : vocabulary.notesOf(number)
  }

  /** Finds the notes with a clause. A phrase must match exactly; other clauses also match in other spellings. */
  *#read(reading: Reading, isPhrase = false): Sliced<void> {
    const { clause } = reading
    reading.apart = []
    if (clause.kind === "sequence") {
      yield* this.#sequence(clause, Infinity, (note, inBody, fields) => {
        this.#scorer.add(reading, note, inBody, fields, Kind.exact)
      })
      if (!isPhrase) {
        const { stem } = clause
        if (stem !== undefined) {
          yield* this.#sequence(stem, Infinity, (note, inBody, fields) => {
            this.#scorer.add(reading, note, inBody, fields, Kind.form)
          })
        }
        const ways = [clause, ...(stem === undefined ? [] : [stem])].flatMap((each) => spaced(this.#store, each))
        yield* this.#otherSpellings(reading, ways)
      }
      return yield* this.#scorer.take(reading)
    }
    yield* this.#scorer.collect(reading, reading.expanded)
    yield* this.#byParts(reading, clause)
    yield* this.#otherSpellings(reading, reading.ways)
    yield* this.#scorer.take(reading, this.#scorer.isSentence ? undefined : this.#notesOf(reading.expanded))
    if (clause.others === undefined) return
    yield* this.#misspelt(
      reading,
      clause.others.map((term) => termOf(term, Kind.typo))
    )
    const likeliest = reading.expanded.slice(0, 1).map(({ term }) => term)
    this.#ranking.mix([...likeliest, ...clause.others], this.#scorer.notes)
  }

  /** The number of notes with a word or its forms, even if not all of them are read. */
  #notesOf(expanded: ReadonlyArray<Expanded>): number {
    const forms = expanded.filter(({ kind }) => kind <= Kind.form)
    const notes = forms.reduce((sum, { term }) => sum + this.#store.vocabulary.notesOf(term), 0)
    return Math.max(notes, this.#scorer.found)
  }

  /** Matches a word by its parts: a note with all of them has it as often as the rarest part. */
  *#byParts(reading: Reading, word: Word): Sliced<void> {
    const parts = (partsOf(this.#store, word) ?? []).map((part) => this.#store.vocabulary.numberOf(part, Sort.word))
    const known = parts.filter((part) => part !== undefined)
    if (known.length < parts.length) return
    reading.together = known.map((term) => termOf(term, Kind.part))
    const { count, notes, slots } = yield* notesWithAll(this.#store, known, this.#scratch, this.#budget)
    for (let i = 0; i < count; i++) {
      this.#scorer.add(reading, notes[i]!, COUNTS[slots[i]!]!, FIELDS[slots[i]!]!, Kind.part)
    }
  }

  /** Adds the notes that spell a clause differently, and keeps the spellings that some note has. */
  *#otherSpellings(reading: Reading, ways: ReadonlyArray<Sequence>): Sliced<void> {
    const { vocabulary } = this.#store
    const isCommon = (number: number) => vocabulary.notesOf(number) > MANY
    const isFew = this.#scorer.found < FEW
    for (const way of ways) {
      if (this.#budget.isSpent) return
      if (!isFew && numbersOf(this.#store, way).some(isCommon)) continue
      let isKnown = false
      yield* this.#sequence(way, MAX_LOOKS, (note, inBody, fields) => {
        isKnown = true
        this.#scorer.add(reading, note, inBody, fields, Kind.part)
      })
      if (isKnown) reading.apart = [...reading.apart, way]
    }
  }

  /** Matches typing errors of a word that few notes have. */
  *#allowTypos(reading: Reading): Sliced<void> {
    const { clause } = reading
    if (clause.kind !== "word" || clause.edits === 0 || this.#budget.isSpent) return
    const terms = yield* misspelt(this.#store, clause, this.#budget)
    const [likeliest] = terms
    if (likeliest === undefined) return
    const isNear = ({ quality }: Expanded) => 1 / quality - 1 / likeliest.quality <= NEARLY_AS_LIKELY
    // Next to other words, an unknown word means its likeliest correction.
    const isAlone = this.readings.length === 1
    const scale = !isAlone && reading.found === 0 ? 1 / likeliest.quality : 1
    const before = this.#scorer.notes.length
    yield* this.#misspelt(
      reading,
      terms.map((each) => ({ ...each, quality: each.quality * scale }))
    )
    if (isAlone)
      this.#ranking.mix(
        terms.filter(isNear).map(({ term }) => term),
        this.#scorer.notes.subarray(before)
      )
  }

  /** Adds the notes that match a clause only by typing errors. */
  *#misspelt(reading: Reading, typos: ReadonlyArray<Expanded>): Sliced<void> {
    const known = new Set(reading.expanded.map(({ term }) => term))
    const terms = typos.filter(({ term }) => !known.has(term))
    if (terms.length === 0) return
    reading.expanded.push(...terms)
    yield* this.#scorer.collect(reading, terms)
    yield* this.#scorer.take(reading, this.#store.vocabulary.notesOf(terms[0]!.term))
  }

  /**
   * Raises notes in which words typed without spaces are adjacent, notes that write words of the query as one, notes
   * with an option, and most of all notes with the query as a line.
   */
  *#boost(): Sliced<void> {
    const { entries, vocabulary } = this.#store
    const weightIn = (number: number) => weightOf(vocabulary.notesOf(number), entries.size)
    for (const chunk of this.#query.chunks) {
      const found: Array<readonly [note: number, inBody: number, fields: number]> = []
      yield* this.#sequence(chunk, MAX_LOOKS, (...each) => found.push(each))
      const words = numbersOf(this.#store, chunk).reduce((sum, number) => sum + weightIn(number), 0)
      const most = BOOST * Math.max(words, CHUNK * weightOf(found.length, entries.size))
      this.#scorer.most += most
      for (const [note, inBody, fields] of found) this.#scorer.raise(note, most, inBody, fields)
    }
    const { whole } = this.#query
    for (const sort of [Sort.word, Sort.joined]) {
      const term = whole === undefined ? undefined : vocabulary.numberOf(whole, sort)
      if (term !== undefined) yield* this.#scorer.boost(term, WHOLE * weightIn(term))
    }
    yield* this.#raiseLine()
    for (const option of this.#query.options) {
      const term = vocabulary.numberOf(option, Sort.part)
      if (term === undefined) continue
      const weight = weightIn(term)
      yield* this.#scorer.boost(term, BOOST * weight)
      this.readings.push({
        ...readingOf(wordOf(option.slice(1)), 0),
        weight,
        expanded: [termOf(term, Kind.exact)]
      })
    }
  }

  /** Raises the notes with the query as a line: only the best notes with all words are read. */
  *#raiseLine(): Sliced<void> {
    const { line } = this.#query
    const phrase = line && phraseOf(this.#store, line)
    const all = this.readings.reduce((bits, { bit }) => bits | bit, 0)
    if (phrase === undefined) return
    const { matched, score } = this.#scratch
    const complete = this.#scorer.notes.filter((note) => matched[note] === all)
    const found: Array<number> = []
    const newest = newestOf(this.#store.entries)
    for (const note of best(complete, MAX_LINES, (a, b) => score[b]! - score[a]! || newest(a, b))) {
      const row = this.#store.positions.of(note)
      if (hasPhrase(row, phrase)) found.push(note)
      if (this.#budget.spend(STEPS.note + row.length * ROW_BYTE)) yield
    }
    const amount = this.#scorer.most
    if (found.length > 0) this.#scorer.most += amount
    for (const note of found) this.#scorer.lift(note, amount)
  }

  #sequence(sequence: Sequence, most: number, visit: VisitNote): Sliced<void> {
    return eachWithSequence(this.#store, sequence, most, this.#scratch, this.#budget, visit)
  }
}

const termOf = (term: number, kind: Kind): Expanded => ({ term, kind, quality: 1, languages: -1 })

const readingOf = (clause: Clause, bit: number): Reading => ({
  clause,
  bit,
  weight: 0,
  expanded: [],
  together: [],
  ways: [],
  apart: [],
  found: 0
})
