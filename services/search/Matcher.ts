import type { Budget, Sliced } from "../concurrency/Budget.ts"
import { NEARLY_AS_LIKELY } from "./Correction.ts"
import { type Expanded, expand, Kind, misspelt, partsOf } from "./Expansion.ts"
import type { Filters } from "./Filters.ts"
import type { IndexStore } from "./IndexStore.ts"
import { apart, spaced } from "./Spellings.ts"
import type { Language } from "./Languages.ts"
import type { NoteList, ScoreBuffers } from "./ScoreBuffers.ts"
import { MAX_CLAUSES, type Query, type Sequence, type Word, wordOf } from "./Query.ts"
import { CHUNK_WEIGHT, FEW, Ranking } from "./Ranking.ts"
import { impactOf, weightOf } from "./Relevance.ts"
import { eachWithSequence, type VisitNote } from "./PhraseMatcher.ts"
import { isNamed, rankOf, type Reading, Scorer } from "./Scorer.ts"

/** Steps that splitting a word costs, per letter. */
const STEPS_OF_LETTER = 4
/** Spellings with a part that more notes have are looked for only where few notes have the word as it was typed. */
const MANY = 5_000
/** Maximum number of notes that are looked through for parts side by side. */
const MAX_LOOKS = 20_000
/** Notes with a phrase: how often, by their lengths, and whether in title or tags. */
type PhraseNotes = Map<number, { readonly frequency: number; readonly isNamed: boolean }>

/** One search over an index: each clause is expanded, scored and, where it must be, forgiven; then the notes are ordered. */
export class Matcher {
  readonly readings: ReadonlyArray<Reading>
  readonly #store: IndexStore
  readonly #query: Query
  readonly #scratch: ScoreBuffers
  readonly #budget: Budget
  readonly #language: Language
  readonly #scorer: Scorer
  readonly #ranking: Ranking

  constructor(store: IndexStore, query: Query, filters: Filters, scratch: ScoreBuffers, budget: Budget) {
    this.#store = store
    this.#query = query
    this.#scratch = scratch
    this.#budget = budget
    this.#language = query.language
    this.readings = [...query.clauses, ...query.phrases].slice(0, MAX_CLAUSES).map((clause) => ({
      clause,
      weight: 0,
      expanded: [],
      together: undefined,
      apart: [],
      notes: 0,
      found: 0
    }))
    this.#scorer = new Scorer(store, query, filters, scratch, budget)
    this.#ranking = new Ranking(store, query, this.readings, this.#scorer, scratch, budget)
  }

  /** How many notes the scratch has as touched; undefined where it has others. */
  get touched(): number | undefined {
    return this.readings.length > 0 ? this.#scorer.touched : undefined
  }

  /** The notes that match, in no order, their scores, from 0 to 1, in the scratch. */
  *matching(): Sliced<Int32Array> {
    const phrases = yield* this.#bind()
    if (this.readings.length === 0) return yield* this.#scorer.everything()
    for (const reading of this.readings) {
      const { clause } = reading
      if (clause.kind === "word") {
        reading.expanded = yield* expand(this.#store, clause, this.#language, this.#budget)
        reading.notes = this.#notesOf(reading.expanded)
      }
    }
    if (!(yield* this.#readAllWords())) {
      this.#scorer.clear(this.readings)
      for (const [index, reading] of this.readings.entries()) {
        yield* this.#read(index, reading, phrases[index - this.#query.clauses.length])
      }
      const isFew = this.#ranking.complete() < FEW
      for (const [index, reading] of this.readings.entries()) {
        // A word that no note has is misspelt. In a sentence a word that some note has is meant.
        if (reading.found === 0 || (isFew && !this.#scorer.isSentence && reading.found < FEW)) {
          yield* this.#forgive(index, reading)
        }
      }
    }
    yield* this.#sideBySide()
    const enough = this.#ranking.enough()
    yield* this.#ranking.scoring(enough)
    return enough
  }

  /** How many notes have a word or its forms, whatever the filters. */
  #notesOf(expanded: ReadonlyArray<Expanded>): number {
    const { entries, vocabulary } = this.#store
    let notes = 0
    for (const { kind, term } of expanded) if (kind <= Kind.form) notes += vocabulary.notesOf(term)
    return Math.min(notes, entries.size)
  }

  /**
   * Reads a query of few words, the rarest first, and of each word only the notes that have those before. Returns whether
   * the notes with all words are enough, so that no other note needs to be read.
   */
  *#readAllWords(): Sliced<boolean> {
    const { readings } = this
    if (readings.length < 2 || this.#scorer.isSentence || readings.some(({ notes }) => notes === 0)) return false
    const rarestFirst = [...readings.entries()].sort(([, a], [, b]) => a.notes - b.notes)
    for (const [index, reading] of rarestFirst) {
      yield* this.#read(index, reading, undefined)
      if (reading.found < FEW) return false
      this.#scorer.required |= 1 << index
    }
    return true
  }

  /** Leaves only notes that have each phrase, and none that has what is excluded. Returns the notes of each phrase. */
  *#bind(): Sliced<Array<PhraseNotes>> {
    const { excluded, phrases } = this.#query
    const bound: Array<PhraseNotes> = []
    for (const phrase of phrases) {
      const notes: PhraseNotes = new Map()
      yield* this.#sequence(phrase, Infinity, (note, frequency, isNamed) => notes.set(note, { frequency, isNamed }))
      bound.push(notes)
      const within = new Set(notes.keys())
      this.#scorer.within = this.#scorer.within === undefined ? within : this.#scorer.within.intersection(within)
    }
    const out = new Set<number>()
    for (const each of excluded) yield* this.#sequence(each, Infinity, (note) => out.add(note))
    for (const note of out) this.#scratch.passes[note] = 2
    return bound
  }

  *#read(index: number, reading: Reading, phrase: PhraseNotes | undefined): Sliced<void> {
    const { clause } = reading
    const { found } = this.#scratch
    found.count = 0
    if (phrase !== undefined) {
      for (const [note, { frequency, isNamed }] of phrase) {
        this.#scorer.add(note, Kind.exact, frequency, isNamed, found)
      }
      return yield* this.#scorer.take(index, reading, found, phrase.size)
    }
    if (clause.kind === "sequence") {
      const matching = yield* this.#sequence(clause, Infinity, (note, frequency, isNamed) => {
        this.#scorer.add(note, Kind.exact, frequency, isNamed, found)
      })
      yield* this.#otherwise(spaced(this.#store, clause), found)
      yield* this.#scorer.take(index, reading, found, matching)
      return
    }
    yield* this.#scorer.collect(reading.expanded, found)
    yield* this.#together(clause, reading, found)
    if (this.#budget.spend(clause.term.length * STEPS_OF_LETTER)) yield
    reading.apart = yield* this.#otherwise(apart(this.#store, clause.term), found)
    const notes = this.#scorer.isSentence ? 0 : reading.notes
    yield* this.#scorer.take(index, reading, found, notes || this.#scorer.frequencyOf(found))
    if (clause.others !== undefined) yield* this.#guess(index, reading, clause.others)
  }

  /** A word that no note has as one, by its parts: a note must have all of them, and has the word as often as the rarest. */
  *#together(word: Word, reading: Reading, found: NoteList): Sliced<void> {
    const parts = partsOf(this.#store, word)
    if (parts === undefined || parts.length === 0) return
    const { frequency, match, part: own } = this.#scratch
    const together: Array<ReadonlyArray<Expanded>> = []
    let common: Map<number, { frequency: number; isNamed: boolean }> | undefined
    // The columns are needed for the parts.
    const whole = Array.from(found.all, (note) => ({ note, match: match[note]!, frequency: frequency[note]! }))
    for (const { note } of whole) match[note] = 0
    for (const part of parts) {
      const expanded = (yield* expand(this.#store, wordOf(part), this.#language, this.#budget)).filter(
        ({ kind }) => kind <= Kind.form
      )
      together.push(expanded)
      yield* this.#scorer.collect(expanded, own)
      const both: NonNullable<typeof common> = new Map()
      for (const note of own.all) {
        const before = common === undefined ? { frequency: Infinity, isNamed: true } : common.get(note)
        if (before !== undefined) {
          both.set(note, {
            frequency: Math.min(before.frequency, frequency[note]!),
            isNamed: before.isNamed && isNamed(match[note]!)
          })
        }
        match[note] = 0
      }
      common = both
      if (common.size === 0) break
    }
    reading.together = together
    for (const each of whole) {
      match[each.note] = each.match
      frequency[each.note] = each.frequency
    }
    for (const [note, each] of common ?? []) this.#scorer.add(note, Kind.part, each.frequency, each.isNamed, found)
  }

  /** Adds the notes that write a word otherwise. Returns the ways that some notes have. */
  *#otherwise(ways: ReadonlyArray<Sequence>, found: NoteList): Sliced<ReadonlyArray<Sequence>> {
    const { vocabulary } = this.#store
    const isFew = found.count < FEW
    const known: Array<Sequence> = []
    for (const way of ways) {
      if (this.#budget.isSpent) break
      const isCommon = way.terms.some(({ term }) => {
        const number = vocabulary.numberOf(term)
        return number !== undefined && vocabulary.notesOf(number) > MANY
      })
      if (isCommon && !isFew) continue
      let isKnown = false
      yield* this.#sequence(way, MAX_LOOKS, (note, frequency, isNamed) => {
        isKnown = true
        this.#scorer.add(note, Kind.part, frequency, isNamed, found)
      })
      if (isKnown) known.push(way)
    }
    return known
  }

  /** Typing errors of a word that few notes have. */
  *#forgive(index: number, reading: Reading): Sliced<void> {
    const { clause } = reading
    if (clause.kind !== "word" || clause.edits === 0 || this.#budget.isSpent) return
    const terms = yield* misspelt(this.#store, clause, false, this.#budget)
    const [likeliest] = terms
    if (likeliest === undefined) return
    const isNear = ({ quality }: Expanded) => 1 / quality - 1 / likeliest.quality <= NEARLY_AS_LIKELY
    // The quality is the score of a single word. Among other words, the likeliest correction of a word that no note has is meant.
    const scale = this.readings.length > 1 && reading.found === 0 ? 1 / likeliest.quality : 1
    const scaled = terms.map((each) => ({ ...each, quality: each.quality * scale }))
    const groups = yield* this.#addTypos(index, reading, scaled)
    if (this.readings.length === 1) this.#ranking.mix(groups.slice(0, terms.filter(isNear).length))
  }

  /** Of a word that is a guess the notes with others that may as well have been meant. */
  *#guess(index: number, reading: Reading, others: ReadonlyArray<number>): Sliced<void> {
    const { touched } = this.#scratch
    const likeliest = Array.from(touched.subarray(0, this.#scorer.touched))
    const terms = others.map((term): Expanded => ({ term, kind: Kind.typo, quality: 1, languages: -1 }))
    this.#ranking.mix([likeliest, ...(yield* this.#addTypos(index, reading, terms))])
  }

  /** Adds the notes that match by a typing error alone. Returns them by the rank of their term. */
  *#addTypos(index: number, reading: Reading, all: ReadonlyArray<Expanded>): Sliced<Array<Array<number>>> {
    const { found, match, matched } = this.#scratch
    const known = new Set(reading.expanded.map(({ term }) => term))
    const terms = all.filter(({ term }) => !known.has(term))
    const groups: Array<Array<number>> = terms.map(() => [])
    if (terms.length === 0) return groups
    yield* this.#scorer.collect(terms, found)
    found.keep((note) => {
      const isNew = (matched[note]! & (1 << index)) === 0
      if (isNew) groups[rankOf(match[note]!)]!.push(note)
      else match[note] = 0
      return isNew
    })
    reading.expanded.push(...terms)
    yield* this.#scorer.take(index, reading, found, this.#store.vocabulary.notesOf(terms[0]!.term), terms)
    return groups
  }

  /** What was typed as one counts most where it stands side by side. */
  *#sideBySide(): Sliced<void> {
    if (this.readings.length < 2) return
    const { matched, score } = this.#scratch
    const { entries, vocabulary } = this.#store
    const { isSentence } = this.#scorer
    const total = this.#ranking.weight
    for (const chunk of this.#query.chunks) {
      let weight = 0
      for (const { term } of chunk.terms) {
        const number = vocabulary.numberOf(term)
        if (number !== undefined) weight += weightOf(vocabulary.notesOf(number), entries.size)
      }
      const most = CHUNK_WEIGHT[isSentence ? "sentence" : "words"] * Math.min(weight, total / this.#query.chunks.length)
      yield* this.#sequence(chunk, MAX_LOOKS, (note, frequency, isNamed) => {
        if (matched[note]! !== 0) score[note]! += most * impactOf(frequency, isNamed && !isSentence)
      })
    }
  }

  #sequence(sequence: Sequence, most: number, visit: VisitNote): Sliced<number> {
    return eachWithSequence(this.#store, sequence, most, this.#scorer.average, this.#scratch.list, this.#budget, visit)
  }
}
