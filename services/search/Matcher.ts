import type { Budget, Sliced } from "../concurrency/Budget.ts"
import { type Expanded, expand, Kind, misspelt, partsOf } from "./Expansion.ts"
import { FEEDBACK_WEIGHT } from "./Feedback.ts"
import type { Filters } from "./Filters.ts"
import type { IndexStore } from "./IndexStore.ts"
import type { NoteList } from "./NoteList.ts"
import type { Language } from "./Languages.ts"
import { OneWord } from "./OneWord.ts"
import { apart, spaced } from "./Joined.ts"
import { NEAR_WEIGHT } from "./Proximity.ts"
import { type Query, type Sequence, type Word, wordOf } from "./Query.ts"
import { weightOf } from "./Relevance.ts"
import type { Scratch } from "./Scratch.ts"
import { Ranking, SHARES, TITLE_WEIGHT } from "./Ranking.ts"
import { eachWithSequence, type VisitNote } from "./Sequences.ts"
import { type Reading, STEPS, Tally } from "./Tally.ts"
import { TITLED_NOTES } from "./WholeTitles.ts"

/** Fewer notes than this with all words are few: then others follow, and typing errors are forgiven. */
export const FEW = 20
/** Of the weight that the best note has, a note must have so much to follow: of few words more than of a sentence. */
const LEAST_COVERAGE = { words: 0.5, sentence: 0.3 } as const
/** What parts side by side tell beside what they tell as words; in a sentence they are some words of many. */
const CHUNK_WEIGHT = { words: 0.75, sentence: 0.3 } as const
/** Steps that splitting a word costs, per letter. */
const STEPS_OF_LETTER = 4
/** Ways to write a word otherwise whose parts more notes have are looked for only where few have it as it was asked for. */
const MANY = 5_000
/** So many notes are looked through for parts side by side at most. */
const MAX_LOOKS = 20_000

/** One search over an index: which notes match, and how well. */
export class Matcher {
  readonly readings: ReadonlyArray<Reading>
  readonly #store: IndexStore
  readonly #query: Query
  readonly #scratch: Scratch
  readonly #budget: Budget
  readonly #most: number
  readonly #language: Language
  readonly #ranking: Ranking
  readonly #tally: Tally

  /** `most`: so many of the notes are shown, by relevance; more may be told. */
  constructor(store: IndexStore, query: Query, filters: Filters, most: number, scratch: Scratch, budget: Budget) {
    this.#store = store
    this.#query = query
    this.#scratch = scratch
    this.#budget = budget
    this.#most = Math.max(most, TITLED_NOTES)
    this.#language = query.language
    this.readings = query.clauses.map((clause) => ({
      clause,
      weight: 0,
      expanded: [],
      together: undefined,
      apart: [],
      found: 0
    }))
    this.#ranking = new Ranking(store, this.readings, scratch, budget)
    this.#tally = new Tally(store, query, filters, scratch, budget)
  }

  /** How many notes the scratch has as touched; undefined where it has others. */
  get touched(): number | undefined {
    return this.readings.length > 0 ? this.#tally.touched : undefined
  }

  /**
   * The notes that match, in no order, their scores in the scratch: all of them have all words, or all that are enough. They
   * are not all, but the best of them, where this costs less.
   */
  *matching(): Sliced<{ readonly notes: Int32Array; readonly total: number }> {
    const best = yield* this.#oneWord()
    if (best !== undefined) return best
    const notes = yield* this.#matching()
    return { notes, total: notes.length }
  }

  *#matching(): Sliced<Int32Array> {
    const { clauses, excluded, phrases } = this.#query
    yield* this.#bind(phrases, excluded)
    if (clauses.length === 0) return yield* this.#tally.everything()
    for (const [index, reading] of this.readings.entries()) yield* this.#read(index, reading)
    let complete = this.#complete()
    if (complete < FEW) {
      for (const [index, reading] of this.readings.entries()) {
        // In a sentence a word that some note has is meant.
        if (reading.found < (this.#tally.isSentence ? 1 : FEW)) yield* this.#forgive(index, reading)
      }
      complete = this.#complete()
    }
    const [only] = this.readings
    if (only?.clause.kind === "word" && only.clause.others !== undefined) yield* this.#guess(only, only.clause.others)
    yield* this.#sideBySide()
    const total = this.readings.reduce((sum, { weight }) => sum + weight, 0)
    const { coverage, matched, score, touched } = this.#scratch
    const isAlone = this.readings.length === 1
    const kind = this.#tally.isSentence ? "sentence" : "words"
    const least = LEAST_COVERAGE[kind]
    const all = this.#all()
    let most = 0
    for (let i = 0; i < this.#tally.touched; i++) if (coverage[touched[i]!]! > most) most = coverage[touched[i]!]!
    const list = this.#scratch.enough
    list.count = 0
    for (let i = 0; i < this.#tally.touched; i++) {
      const note = touched[i]!
      if (complete >= FEW ? (matched[note]! & all) === all : coverage[note]! >= least * most) list.push(note)
    }
    const enough = list.all
    if (this.#tally.isSentence) yield* this.#ranking.listen(enough, total)
    yield* this.#ranking.entitle(enough, total)
    const scale = total * (1 + CHUNK_WEIGHT[kind] + NEAR_WEIGHT + FEEDBACK_WEIGHT + TITLE_WEIGHT)
    if (!isAlone) {
      for (const note of enough) {
        const isComplete = (matched[note]! & all) === all
        score[note] = (isComplete ? 0.5 : 0) + score[note]! / (2 * scale)
      }
    }
    if (this.#budget.spend(enough.length * STEPS.note)) yield
    return enough
  }

  /** The best notes with one word, where very many have it. */
  *#oneWord(): Sliced<{ readonly notes: Int32Array; readonly total: number } | undefined> {
    const [reading, ...others] = this.readings
    const { average, byState } = this.#tally
    if (reading === undefined || others.length + this.#query.excluded.length > 0 || byState === undefined)
      return undefined
    const { clause } = reading
    if (clause.kind !== "word" || clause.others !== undefined) return undefined
    reading.expanded = yield* expand(this.#store, clause, this.#language, this.#budget)
    const word = new OneWord(this.#store, { average, byState, most: this.#most }, this.#scratch, this.#budget)
    if (!word.pays(reading.expanded) || partsOf(this.#store, clause) !== undefined) return undefined
    const counted = yield* word.best(reading.expanded, this.#scratch.enough)
    if (counted === undefined) return undefined
    const { size } = this.#store.entries
    reading.weight = weightOf(Math.min(counted.frequency, size), size)
    reading.found = counted.total
    const notes = this.#scratch.enough.all
    this.#tally.touch(notes)
    yield* this.#ranking.entitle(notes, reading.weight)
    return { notes, total: counted.total }
  }

  /** The clauses that some note matches, as bits. */
  #all(): number {
    let all = 0
    for (const [index, { found }] of this.readings.entries()) if (found > 0) all |= 1 << index
    return all
  }

  /** How many notes match all clauses that some note matches. */
  #complete(): number {
    const all = this.#all()
    const { matched, touched } = this.#scratch
    if (all === 0) return 0
    let count = 0
    for (let i = 0; i < this.#tally.touched; i++) if ((matched[touched[i]!]! & all) === all) count++
    return count
  }

  /** Leaves only notes that have each phrase, and none that has what is excluded. */
  *#bind(phrases: ReadonlyArray<Sequence>, excluded: ReadonlyArray<Sequence>): Sliced<void> {
    for (const phrase of phrases) {
      const within = new Set<number>()
      yield* this.#sequence(phrase, Infinity, (note) => within.add(note))
      this.#tally.within = this.#tally.within === undefined ? within : this.#tally.within.intersection(within)
    }
    const out = new Set<number>()
    for (const each of excluded) yield* this.#sequence(each, Infinity, (note) => out.add(note))
    for (const note of out) this.#scratch.passes[note] = 2
  }

  *#read(index: number, reading: Reading): Sliced<void> {
    const { clause } = reading
    const { found } = this.#scratch
    if (clause.kind === "sequence") {
      const before = this.#tally.touched
      found.count = 0
      const matching = yield* this.#sequence(clause, Infinity, (note, frequency, inField) => {
        if (this.#tally.passes(note)) {
          found.push(note)
          this.#tally.note(note, Kind.exact, frequency, 1, inField)
        }
      })
      yield* this.#otherwise(spaced(clause), found)
      yield* this.#tally.take(index, reading, found, matching)
      if (this.#budget.spend((this.#tally.touched - before) * STEPS.note)) yield
      return
    }
    if (reading.expanded.length === 0) {
      reading.expanded = yield* expand(this.#store, clause, this.#language, this.#budget)
    }
    yield* this.#tally.collect(reading.expanded, found)
    yield* this.#together(clause, reading, found)
    if (this.#budget.spend(clause.term.length * STEPS_OF_LETTER)) yield
    reading.apart = yield* this.#otherwise(apart(this.#store, clause.term), found)
    yield* this.#tally.take(index, reading, found, this.#tally.frequencyOf(found))
  }

  /** A word that no note has as one, by its parts. */
  *#together(word: Word, reading: Reading, found: NoteList): Sliced<void> {
    const parts = partsOf(this.#store, word)
    if (parts === undefined || parts.length === 0) return
    const rests: Array<ReadonlyArray<Expanded>> = []
    const { common, part: own, partFrequency, partInField } = this.#scratch
    common.count = 0
    for (const part of parts) {
      const expanded = (yield* expand(this.#store, wordOf(part), this.#language, this.#budget)).filter(
        ({ kind }) => kind <= Kind.form
      )
      rests.push(expanded)
      // Those that have the word as one are noted already: they are not in this list.
      yield* this.#tally.collect(expanded, own)
      const { frequency, inField, kind } = this.#scratch
      if (rests.length === 1) {
        for (const note of own.all) {
          common.push(note)
          partFrequency[note] = frequency[note]!
          partInField[note] = inField[note]!
        }
      } else {
        common.keep((note) => kind[note]! > 0)
        for (const note of common.all) {
          partFrequency[note] = Math.min(partFrequency[note]!, frequency[note]!)
          partInField[note]! &= inField[note]!
        }
      }
      for (const note of own.all) kind[note] = 0
      if (common.count === 0) break
    }
    reading.together = rests
    for (const note of common.all) {
      found.push(note)
      this.#tally.note(note, Kind.part, partFrequency[note]!, 1, partInField[note]!)
    }
  }

  /** Adds the notes that write a word otherwise. Returns the ways that some notes have. */
  *#otherwise(ways: ReadonlyArray<Sequence>, found: NoteList): Sliced<ReadonlyArray<Sequence>> {
    const { kind } = this.#scratch
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
      yield* this.#sequence(way, MAX_LOOKS, (note, frequency, inField) => {
        isKnown = true
        if (kind[note]! > 0 || !this.#tally.passes(note)) return
        found.push(note)
        this.#tally.note(note, Kind.part, frequency, 1, inField)
      })
      if (isKnown) known.push(way)
    }
    return known
  }

  /** Typing errors of a word that few notes have. */
  *#forgive(index: number, reading: Reading): Sliced<void> {
    const { clause } = reading
    if (clause.kind !== "word" || clause.edits === 0 || this.#budget.isSpent) return
    const known = new Set(reading.expanded.map(({ term }) => term))
    const terms = (yield* misspelt(this.#store, clause, false, this.#budget)).filter(({ term }) => !known.has(term))
    if (terms.length === 0) return
    const bit = 1 << index
    const { found } = this.#scratch
    yield* this.#tally.collect(terms, found)
    found.keep((note) => {
      const isNew = (this.#scratch.matched[note]! & bit) === 0
      if (!isNew) this.#scratch.kind[note] = 0
      return isNew
    })
    reading.expanded.push(...terms)
    const likeliest = this.#store.vocabulary.notesOf(terms[0]!.term)
    const byQuality = this.readings.length > 1 ? undefined : this.#ranking.byQuality(found.all)
    yield* this.#tally.take(index, reading, found, likeliest)
    if (byQuality !== undefined) this.#ranking.mix(byQuality)
  }

  /** Of a word that is a guess the notes with others that may as well have been meant. */
  *#guess(reading: Reading, others: ReadonlyArray<number>): Sliced<void> {
    const { found, matched, touched } = this.#scratch
    const groups = [Array.from(touched.subarray(0, this.#tally.touched))]
    const known = new Set(reading.expanded.map(({ term }) => term))
    for (const term of others) {
      if (known.has(term) || groups.length === SHARES.length) continue
      const expanded: Expanded = { term, kind: Kind.typo, quality: 1, languages: -1 }
      yield* this.#tally.collect([expanded], found)
      found.keep((note) => {
        const isNew = matched[note] === 0
        if (!isNew) this.#scratch.kind[note] = 0
        return isNew
      })
      if (found.count === 0) continue
      reading.expanded.push(expanded)
      yield* this.#tally.take(0, reading, found, found.count)
      groups.push(Array.from(found.all))
    }
    if (groups.length > 1) this.#ranking.mixGuesses(groups)
  }

  /** What was typed as one counts most where it stands side by side. */
  *#sideBySide(): Sliced<void> {
    const { matched, score } = this.#scratch
    const { vocabulary } = this.#store
    const total = this.readings.reduce((sum, { weight }) => sum + weight, 0)
    for (const chunk of this.#query.chunks) {
      if (this.readings.length < 2) return
      let weight = 0
      for (const { term } of chunk.terms) {
        const number = vocabulary.numberOf(term)
        if (number !== undefined) weight += weightOf(vocabulary.notesOf(number), this.#store.entries.size)
      }
      const share =
        CHUNK_WEIGHT[this.#tally.isSentence ? "sentence" : "words"] *
        Math.min(weight, total / this.#query.chunks.length)
      yield* this.#sequence(chunk, MAX_LOOKS, (note) => {
        if (matched[note]! !== 0) score[note]! += share
      })
    }
  }

  #sequence(sequence: Sequence, most: number, visit: VisitNote): Sliced<number> {
    return eachWithSequence(this.#store, sequence, most, this.#tally.average, this.#scratch.list, this.#budget, visit)
  }
}
