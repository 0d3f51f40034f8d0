import type { Budget, Sliced } from "../../../concurrency/Budget.ts"
import { type Expanded, Kind } from "./Expansion.ts"
import { filterOf, type Filters } from "./Filters.ts"
import type { IndexStore } from "../index/IndexStore.ts"
import { COUNTS, FIELDS } from "../index/PostingList.ts"
import type { Clause, Sequence } from "./Clauses.ts"
import type { Query } from "./Query.ts"
import type { ScoreBuffers } from "./ScoreBuffers.ts"

/** BM25F: the saturation of frequencies, the influence of lengths, and the weight of a title or tag against a body. */
const SATURATION = 1.6
const LENGTH_WEIGHT = 0.6
const FIELD_WEIGHT = 5
/** UTF-16 code units of a typical title: a word counts more in a shorter title. */
const TITLE_LENGTH = 25
/** Worth of a match by kind; for a typing error, multiplied by its quality. */
const WORTH = [1, 0.9, 0.75, 0.65, 0.6] as const
/** Share of the worth that depends on field and frequency for a query of one word: so kinds of matches do not mix. */
const SHARE_ALONE = 0.1
/** Frequencies are multiples of 1/1024, up to a maximum: so their sum in 32 bits is exact in any order of the terms. */
const FRACTIONS = 1024
const MAX_FREQUENCY = 8192
/** Minimum number of words of a sentence: such a query describes a note and does not name it. */
const SENTENCE = 4
/** Steps of the most frequent operations. */
export const STEPS = { posting: 0.12, note: 0.3, title: 10 } as const

const normOf = (relativeLength: number): number => 1 - LENGTH_WEIGHT + LENGTH_WEIGHT * relativeLength

/** Weight of a clause that matches `found` of `size` notes: rarer clauses weigh more. Above 0. */
export const weightOf = (found: number, size: number): number => Math.log(1 + (size - found + 0.5) / (found + 0.5))

/** A clause with its weight and the terms that match it. */
export interface Reading {
  readonly clause: Clause
  /** Its bit in the columns of `ScoreBuffers`. */
  readonly bit: number
  weight: number
  expanded: Array<Expanded>
  /** The terms of its parts: a note with all of them matches the clause. */
  together: ReadonlyArray<Expanded>
  /** Spellings of it as several words, and those that some note has. */
  ways: ReadonlyArray<Sequence>
  apart: ReadonlyArray<Sequence>
  /** Number of matching notes that pass the filters. */
  found: number
}

/** Sums up the scores of the notes of one search, clause by clause, in the columns of `ScoreBuffers`. */
export class Scorer {
  readonly isSentence: boolean
  /** The highest possible score so far. */
  most = 0
  /** Clauses, as bits, that a note must match to be counted. */
  required = 0
  /** Further such clauses, except for notes with the current clause in title or tags. */
  expected = 0
  /** Number of notes that match all required and expected clauses and the last one. */
  complete = 0
  /** Tokens per body, their average, and UTF-16 code units per title. */
  readonly #lengths: Uint32Array
  readonly #average: number
  readonly #titleLengths: Uint16Array
  readonly #isAlone: boolean
  readonly #passes: (note: number) => boolean
  readonly #store: IndexStore
  readonly #scratch: ScoreBuffers
  readonly #budget: Budget

  constructor(store: IndexStore, query: Query, filters: Filters, scratch: ScoreBuffers, budget: Budget) {
    this.#store = store
    this.#scratch = scratch
    this.#budget = budget
    const { columns, size, tokens } = store.entries
    this.#lengths = columns.lengths
    this.#average = Math.max(1, tokens / Math.max(1, size))
    this.#titleLengths = columns.titleLengths
    const count = query.clauses.length + query.phrases.length
    this.isSentence = count >= SENTENCE
    this.#isAlone = count + query.chunks.length + query.options.size === 1
    this.#passes = filterOf(store.entries, filters, query.tags, query.excludedTags)
  }

  /** The notes that match some clause. */
  get notes(): Int32Array {
    return this.#scratch.touched.subarray(0, this.#scratch.touchedCount)
  }

  /** Number of notes that match the current clause. */
  get found(): number {
    return this.#scratch.foundCount
  }

  /** Excludes a note. */
  exclude(note: number): void {
    this.#scratch.passes[note] = 2
  }

  #isIn(note: number): boolean {
    const { passes } = this.#scratch
    if (passes[note] === 0) passes[note] = this.#passes(note) ? 1 : 2
    return passes[note] === 1
  }

  /** Adds the notes with some terms that do not match the clause yet. */
  *collect(reading: Reading, terms: ReadonlyArray<Expanded>): Sliced<void> {
    const { list } = this.#scratch
    for (const { kind, languages, quality, term } of terms) {
      this.#store.postings.read(term, list)
      const { count, notes, slots } = list
      const { spoken } = this.#store.entries.columns
      for (let i = 0; i < count; i++) {
        const note = notes[i]!
        const slot = slots[i]!
        if ((languages & (1 << spoken[note]!)) === 0) continue
        this.add(reading, note, COUNTS[slot]!, FIELDS[slot]!, kind, quality)
      }
      if (this.#budget.spend(2 + count * STEPS.posting)) yield
    }
  }

  /**
   * Adds a match of a clause in a note. Frequencies add up; the worth is that of the best match. `inBody`: frequency in
   * the body. `fields`: bits as in `FIELDS`.
   */
  add({ bit }: Reading, note: number, inBody: number, fields: number, kind: Kind, quality = 1): void {
    const { frequency, found, matched, named, worth } = this.#scratch
    const isNamed = (fields & 3) > 0
    const needed = isNamed ? this.required : this.required | this.expected
    if ((matched[note]! & bit) !== 0 || (matched[note]! & needed) !== needed || !this.#isIn(note)) return
    if (worth[note] === 0) {
      found[this.#scratch.foundCount++] = note
      frequency[note] = 0
    }
    const own = WORTH[kind] * quality
    if (own > worth[note]!) worth[note] = own
    if (isNamed) named[note]! |= bit
    const more = Math.round(this.#frequencyIn(note, inBody, fields) * FRACTIONS) / FRACTIONS
    frequency[note] = Math.min(frequency[note]! + more, MAX_FREQUENCY)
  }

  /** Adds the current clause to the scores of its notes. `notes`: the assumed number of notes with it. */
  *take(reading: Reading, notes = this.found): Sliced<void> {
    const { frequency, found, matched, named, score, touched, worth } = this.#scratch
    const { bit } = reading
    const { size } = this.#store.entries
    if (this.found > 0 && reading.weight === 0) {
      reading.weight = weightOf(Math.min(notes, size), size)
      this.most += reading.weight
    }
    const share = this.#isAlone ? SHARE_ALONE : 1
    const needed = this.required | this.expected
    this.complete = 0
    for (const note of found.subarray(0, this.found)) {
      if (matched[note] === 0) touched[this.#scratch.touchedCount++] = note
      if ((matched[note]! & needed) === needed) this.complete++
      matched[note]! |= bit
      const impact = this.#impactOf(frequency[note]!, (named[note]! & bit) !== 0)
      score[note]! += reading.weight * worth[note]! * (1 - share + share * impact)
      worth[note] = 0
    }
    reading.found += this.found
    if (this.#budget.spend(this.found * STEPS.note)) yield
    this.#scratch.foundCount = 0
  }

  /** The frequency in a note, normalized by its lengths. */
  #frequencyIn(note: number, inBody: number, fields: number): number {
    return (
      inBody / normOf(this.#lengths[note]! / this.#average) +
      ((fields & 1) > 0 ? FIELD_WEIGHT / normOf(this.#titleLengths[note]! / TITLE_LENGTH) : 0) +
      ((fields & 2) > 0 ? FIELD_WEIGHT : 0)
    )
  }

  /** A match in title or tags counts twice, except in a sentence: titles have some of its words by chance. */
  #impactOf(frequency: number, isNamed: boolean): number {
    const saturated = frequency / (SATURATION + frequency)
    return this.isSentence ? saturated : ((isNamed ? 1 : 0) + saturated) / 2
  }

  /** Adds at most `most` to the score of a note that matches some clause. */
  raise(note: number, most: number, inBody: number, fields: number): void {
    const { matched, score } = this.#scratch
    if (matched[note] === 0) return
    score[note]! += most * this.#impactOf(this.#frequencyIn(note, inBody, fields), (fields & 3) > 0)
  }

  /** Adds an amount to the score of a note. `most` must be increased by it once. */
  lift(note: number, amount: number): void {
    this.#scratch.score[note]! += amount
  }

  /** Raises the notes with a term. */
  *boost(term: number, most: number): Sliced<void> {
    const { list } = this.#scratch
    this.most += most
    this.#store.postings.read(term, list)
    const { count, notes, slots } = list
    for (let i = 0; i < count; i++) this.raise(notes[i]!, most, COUNTS[slots[i]!]!, FIELDS[slots[i]!]!)
    if (this.#budget.spend(count * STEPS.posting)) yield
  }

  /** All notes that pass the filters, for a query without words. */
  *everything(): Sliced<Int32Array> {
    const { entries } = this.#store
    const { score, touched } = this.#scratch
    for (let note = 0; note < entries.capacity; note++) {
      if (this.#isIn(note)) {
        touched[this.#scratch.touchedCount++] = note
        score[note] = 1
      }
      if (note % 8192 === 8191 && this.#budget.spend(8192 * STEPS.note)) yield
    }
    return this.notes
  }
}
