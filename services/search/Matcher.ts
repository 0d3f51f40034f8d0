import type { Budget, Sliced } from "../budgets/Budget.ts"
import { type Expanded, expand, Kind, misspelt, partsOf } from "./Expansion.ts"
import { FEEDBACK_WEIGHT } from "./Feedback.ts"
import { filterOf, type Filters, isPlain } from "./Filters.ts"
import type { IndexStore } from "./IndexStore.ts"
import type { Language } from "./Languages.ts"
import { NEAR_WEIGHT } from "./Proximity.ts"
import { type Clause, type Query, type Sequence, type Word, wordOf } from "./Query.ts"
import { BODY_FREQUENCY, FIELD_BONUS, FIELD_FREQUENCY, MAX_IMPACT, normOf, saturated, weightOf } from "./Relevance.ts"
import type { Scratch } from "./Scratch.ts"
import { Ranking, SHARES, TITLE_WEIGHT } from "./Ranking.ts"
import { eachWithSequence, type VisitNote } from "./Sequences.ts"

/** Fewer notes than this with all words are few: then others follow, and typing errors are forgiven. */
export const FEW = 20
/** Of the weight that the best note has, a note must have so much to follow: of few words more than of a sentence. */
const LEAST_COVERAGE = { words: 0.5, sentence: 0.3 } as const
/** What a match of each kind tells, where there are other words to tell more. */
const KIND_WEIGHT = [1, 0.9, 0.75, 0.7, 0.6] as const
/** A form beside the word itself, as an occurrence. */
const FORM_FREQUENCY = 0.9
/** What parts side by side tell beside what they tell as words; in a sentence they are some words of many. */
const CHUNK_WEIGHT = { words: 0.75, sentence: 0.3 } as const
/** A query of so many words is a sentence: it describes what is looked for, and does not name it. */
const SENTENCE = 4
/** So many notes are looked through for parts side by side at most. */
const MAX_LOOKS = 20_000
/** Steps of what is done most. */
const COST = { posting: 0.12, note: 0.3 } as const

/** A clause as it was understood: what it weighs, and the terms that it stands for. */
export interface Reading {
  readonly clause: Clause
  weight: number
  expanded: Array<Expanded>
  /** Words that stand for it together, where no note has it as one. */
  together: ReadonlyArray<ReadonlyArray<Expanded>> | undefined
  /** Notes of those that pass. */
  found: number
}

/** One search over an index: which notes match, and how well. */
export class Matcher {
  readonly readings: ReadonlyArray<Reading>
  /** Notes that match some clause, whether they are many enough or not. */
  #touched = 0
  readonly #store: IndexStore
  readonly #query: Query
  readonly #scratch: Scratch
  readonly #budget: Budget
  readonly #passes: (note: number) => boolean
  /** Where the filters ask for no more: by the state of a note whether it passes (1) or not (2). */
  readonly #byState: Uint8Array | undefined
  readonly #language: Language
  readonly #isSentence: boolean
  readonly #ranking: Ranking
  /** Notes with all phrases; undefined where there are none. */
  #within: Set<number> | undefined
  #average = 1

  constructor(store: IndexStore, query: Query, filters: Filters, scratch: Scratch, budget: Budget) {
    this.#store = store
    this.#query = query
    this.#scratch = scratch
    this.#budget = budget
    this.#language = query.language
    this.#isSentence = query.clauses.length >= SENTENCE
    this.readings = query.clauses.map((clause) => ({
      clause,
      weight: 0,
      expanded: [],
      together: undefined,
      found: 0
    }))
    this.#ranking = new Ranking(store, this.readings, scratch, budget)
    const passes = filterOf(filters, query.tags, query.excludedTags)
    const { entries } = store
    this.#average = Math.max(1, entries.tokens / Math.max(1, entries.size))
    const { archived = false } = filters
    this.#byState =
      isPlain(filters) && query.phrases.length + query.tags.length + query.excludedTags.length === 0
        ? Uint8Array.of(2, archived === true ? 2 : 1, archived === false ? 2 : 1)
        : undefined
    this.#passes = (note) => {
      const known = scratch.passes[note]!
      if (known > 0) return known === 1
      const entry = entries.at(note)
      const isIn = entry !== undefined && passes(entry) && (this.#within === undefined || this.#within.has(note))
      scratch.passes[note] = isIn ? 1 : 2
      return isIn
    }
  }

  /** How many notes the scratch has as touched; undefined where it has others. */
  get touched(): number | undefined {
    return this.readings.length > 0 ? this.#touched : undefined
  }

  /** The notes that match, in no order, their scores in the scratch: all of them have all words, or all that are enough. */
  *matching(): Sliced<Array<number>> {
    const { clauses, excluded, phrases } = this.#query
    yield* this.#bind(phrases, excluded)
    if (clauses.length === 0) return yield* this.#everything()
    for (const [index, reading] of this.readings.entries()) yield* this.#read(index, reading)
    let complete = this.#complete()
    if (complete < FEW) {
      for (const [index, reading] of this.readings.entries()) {
        // In a sentence a word that some note has is meant.
        if (reading.found < (this.#isSentence ? 1 : FEW)) yield* this.#forgive(index, reading)
      }
      complete = this.#complete()
    }
    const [only] = this.readings
    if (only?.clause.kind === "word" && only.clause.others !== undefined) yield* this.#guess(only, only.clause.others)
    yield* this.#sideBySide()
    const total = this.readings.reduce((sum, { weight }) => sum + weight, 0)
    const { coverage, matched, score, touched } = this.#scratch
    const isAlone = this.readings.length === 1
    const kind = this.#isSentence ? "sentence" : "words"
    const least = LEAST_COVERAGE[kind]
    const all = this.#all()
    let most = 0
    for (let i = 0; i < this.#touched; i++) if (coverage[touched[i]!]! > most) most = coverage[touched[i]!]!
    const enough: Array<number> = []
    for (let i = 0; i < this.#touched; i++) {
      const note = touched[i]!
      if (complete >= FEW ? (matched[note]! & all) === all : coverage[note]! >= least * most) enough.push(note)
    }
    if (this.#isSentence) yield* this.#ranking.listen(enough, total)
    yield* this.#ranking.entitle(enough, total)
    const scale = total * (1 + CHUNK_WEIGHT[kind] + NEAR_WEIGHT + FEEDBACK_WEIGHT + TITLE_WEIGHT)
    if (!isAlone) {
      for (const note of enough) {
        const isComplete = (matched[note]! & all) === all
        score[note] = (isComplete ? 0.5 : 0) + score[note]! / (2 * scale)
      }
    }
    if (this.#budget.spend(enough.length * COST.note)) yield
    return enough
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
    for (let i = 0; i < this.#touched; i++) if ((matched[touched[i]!]! & all) === all) count++
    return count
  }

  *#everything(): Sliced<Array<number>> {
    const found: Array<number> = []
    const { entries } = this.#store
    for (let note = 0; note < entries.capacity; note++) {
      if (this.#passes(note)) {
        found.push(note)
        this.#scratch.score[note] = 1
      }
      if (note % 8192 === 8191 && this.#budget.spend(8192 * COST.note)) yield
    }
    return found
  }

  /** Leaves only notes that have each phrase, and none that has what is excluded. */
  *#bind(phrases: ReadonlyArray<Sequence>, excluded: ReadonlyArray<Sequence>): Sliced<void> {
    for (const phrase of phrases) {
      const within = new Set<number>()
      yield* this.#sequence(phrase, Infinity, (note) => within.add(note))
      this.#within = this.#within === undefined ? within : this.#within.intersection(within)
    }
    const out = new Set<number>()
    for (const each of excluded) yield* this.#sequence(each, Infinity, (note) => out.add(note))
    for (const note of out) this.#scratch.passes[note] = 2
  }

  *#read(index: number, reading: Reading): Sliced<void> {
    const { clause } = reading
    if (clause.kind === "sequence") {
      const before = this.#touched
      const found: Array<number> = []
      const matching = yield* this.#sequence(clause, Infinity, (note, frequency, inField) => {
        if (this.#passes(note)) {
          found.push(note)
          this.#note(note, Kind.exact, frequency, 1, inField)
        }
      })
      yield* this.#take(index, reading, found, matching)
      if (this.#budget.spend((this.#touched - before) * COST.note)) yield
      return
    }
    reading.expanded = yield* expand(this.#store, clause, this.#language, this.#budget)
    const found = yield* this.#collect(reading.expanded)
    yield* this.#together(clause, reading, found)
    yield* this.#take(index, reading, found, this.#frequencyOf(found))
  }

  /** A word that no note has as one, by its parts. */
  *#together(word: Word, reading: Reading, found: Array<number>): Sliced<void> {
    const parts = partsOf(this.#store, word)
    if (parts === undefined || parts.length === 0) return
    const rests: Array<ReadonlyArray<Expanded>> = []
    let common: Map<number, { frequency: number; inField: number }> | undefined
    const isFound = new Set(found)
    for (const part of parts) {
      const expanded = (yield* expand(this.#store, wordOf(part), this.#language, this.#budget)).filter(
        ({ kind }) => kind <= Kind.form
      )
      rests.push(expanded)
      const own: Map<number, { frequency: number; inField: number }> = new Map()
      for (const note of yield* this.#collect(expanded)) {
        const { frequency, inField, kind } = this.#scratch
        if (!isFound.has(note)) {
          const before = common?.get(note)
          if (common === undefined || before !== undefined) {
            own.set(note, {
              frequency: Math.min(before?.frequency ?? Infinity, frequency[note]!),
              inField: Math.min(before?.inField ?? 1, inField[note]!)
            })
          }
          kind[note] = 0
        }
      }
      common = own
      if (common.size === 0) break
    }
    reading.together = rests
    for (const [note, { frequency, inField }] of common ?? []) {
      found.push(note)
      this.#note(note, Kind.part, frequency, 1, inField)
    }
  }

  /** Typing errors of a word that few notes have. */
  *#forgive(index: number, reading: Reading): Sliced<void> {
    const { clause } = reading
    if (clause.kind !== "word" || clause.edits === 0 || this.#budget.isSpent) return
    const known = new Set(reading.expanded.map(({ term }) => term))
    const terms = (yield* misspelt(this.#store, clause, false, this.#budget)).filter(({ term }) => !known.has(term))
    if (terms.length === 0) return
    const bit = 1 << index
    const found = (yield* this.#collect(terms)).filter((note) => {
      const isNew = (this.#scratch.matched[note]! & bit) === 0
      if (!isNew) this.#scratch.kind[note] = 0
      return isNew
    })
    reading.expanded.push(...terms)
    const likeliest = this.#store.vocabulary.notesOf(terms[0]!.term)
    const byQuality = this.readings.length > 1 ? undefined : this.#ranking.byQuality(found)
    yield* this.#take(index, reading, found, likeliest)
    if (byQuality !== undefined) this.#ranking.mix(byQuality)
  }

  /** Of a word that is a guess the notes with others that may as well have been meant. */
  *#guess(reading: Reading, others: ReadonlyArray<number>): Sliced<void> {
    const { matched, touched } = this.#scratch
    const groups = [Array.from(touched.subarray(0, this.#touched))]
    const known = new Set(reading.expanded.map(({ term }) => term))
    for (const term of others) {
      if (known.has(term) || groups.length === SHARES.length) continue
      const expanded: Expanded = { term, kind: Kind.typo, quality: 1, languages: -1 }
      const found = (yield* this.#collect([expanded])).filter((note) => {
        const isNew = matched[note] === 0
        if (!isNew) this.#scratch.kind[note] = 0
        return isNew
      })
      if (found.length === 0) continue
      reading.expanded.push(expanded)
      yield* this.#take(0, reading, found, found.length)
      groups.push(found)
    }
    if (groups.length > 1) this.#ranking.mixGuesses(groups)
  }

  /** Collects the notes that pass with any of the terms, the best kind of each in the scratch. */
  *#collect(terms: ReadonlyArray<Expanded>): Sliced<Array<number>> {
    const scratch = this.#scratch
    const { list, passes } = scratch
    const { entries, postings } = this.#store
    const { lengths, spoken, states } = entries
    const byState = this.#byState
    const found: Array<number> = []
    const perToken = 1 / this.#average
    for (const { kind, languages, quality, term } of terms) {
      postings.read(term, list)
      const { count, notes, slots } = list
      const share = kind === Kind.form ? FORM_FREQUENCY : 1
      for (let i = 0; i < count; i++) {
        const note = notes[i]!
        let known = passes[note]!
        if (known === 0) {
          known = byState === undefined ? (this.#passes(note) ? 1 : 2) : byState[states[note]!]!
          passes[note] = known
        }
        if (known === 2) continue
        if (languages !== -1 && (languages & (1 << spoken[note]!)) === 0) continue
        const slot = slots[i]!
        const field = FIELD_FREQUENCY[slot]!
        const frequency = (BODY_FREQUENCY[slot]! / normOf(lengths[note]! * perToken) + field) * share
        if (scratch.kind[note] === 0) found.push(note)
        this.#note(note, kind, frequency, quality, field > 0 ? 1 : 0)
      }
      if (this.#budget.spend(2 + count * COST.posting)) yield
    }
    return found
  }

  /** Notes a match of the clause at hand. The word and its forms add up; of the rest the best counts. */
  #note(note: number, kind: Kind, frequency: number, quality: number, inField: number): void {
    const scratch = this.#scratch
    const before = scratch.kind[note]!
    if (before === 0) {
      scratch.kind[note] = kind + 1
      scratch.frequency[note] = frequency
      scratch.quality[note] = quality
      scratch.inField[note] = inField
    } else if (kind <= Kind.form && before <= Kind.form + 1) {
      scratch.frequency[note]! += frequency
      scratch.inField[note]! |= inField
    } else if (before === kind + 1 && scratch.quality[note] === quality) {
      if (frequency > scratch.frequency[note]!) scratch.frequency[note] = frequency
      scratch.inField[note]! |= inField
    }
  }

  /** How many of the notes have the best kind that was found, the word and its forms counted together. */
  #frequencyOf(found: ReadonlyArray<number>): number {
    const counts = [0, 0, 0, 0, 0]
    for (const note of found) counts[this.#scratch.kind[note]! - 1]!++
    return counts[0]! + counts[1]! || (counts.find((count) => count > 0) ?? 0)
  }

  /** Adds what the clause at hand tells to the notes found, and is ready for the next. */
  *#take(index: number, reading: Reading, found: ReadonlyArray<number>, frequency: number): Sliced<void> {
    const { coverage, inField, kind, matched, named, quality, score, touched } = this.#scratch
    const isAlone = this.readings.length === 1
    if (found.length > 0)
      reading.weight ||= weightOf(Math.min(frequency, this.#store.entries.size), this.#store.entries.size)
    const { weight } = reading
    for (let i = 0; i < found.length; i++) {
      const note = found[i]!
      const own = (kind[note]! - 1) as Kind
      if (inField[note]! > 0) named[note]! += weight
      // Of the words of a sentence a title has some by chance.
      const bonus = inField[note]! > 0 && !this.#isSentence ? FIELD_BONUS : 0
      const impact = (bonus + saturated(this.#scratch.frequency[note]!)) / MAX_IMPACT
      if (matched[note] === 0) touched[this.#touched++] = note
      matched[note]! |= 1 << index
      coverage[note]! += weight
      score[note] = isAlone
        ? (4 - own + (own === Kind.typo ? 0.9 * quality[note]! + 0.1 * impact : impact)) / 5
        : score[note]! + weight * KIND_WEIGHT[own] * quality[note]! * impact
      kind[note] = 0
    }
    reading.found += found.length
    if (this.#budget.spend(found.length * COST.note)) yield
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
        CHUNK_WEIGHT[this.#isSentence ? "sentence" : "words"] * Math.min(weight, total / this.#query.chunks.length)
      yield* this.#sequence(chunk, MAX_LOOKS, (note) => {
        if (matched[note]! !== 0) score[note]! += share
      })
    }
  }

  #sequence(sequence: Sequence, most: number, visit: VisitNote): Sliced<number> {
    return eachWithSequence(this.#store, sequence, most, this.#average, this.#scratch.list, this.#budget, visit)
  }
}
