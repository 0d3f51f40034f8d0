import type { Budget, Sliced } from "../concurrency/Budget.ts"
import { type Expanded, Kind } from "./Expansion.ts"
import { filterOf, type Filters, isPlain } from "./Filters.ts"
import type { IndexStore } from "./IndexStore.ts"
import type { NoteList, ScoreBuffers } from "./ScoreBuffers.ts"
import type { Clause, Query, Sequence } from "./Query.ts"
import { frequencyOf, impactOf, saturated, weightOf } from "./Relevance.ts"
import { COUNTS, FIELDS } from "./PostingList.ts"

/** Weight of a match of each kind in a query of several words. */
const KIND_WEIGHT = [1, 0.9, 0.75, 0.7, 0.6] as const
/** What an occurrence of each kind counts. */
const KIND_FREQUENCY = [1, 0.9, 0.5, 0.5, 0.5] as const
/** Frequencies are multiples of a fraction, up to a maximum: in 32 bits their sum is exact, whatever the order of the terms. */
const FRACTIONS = 1024
const MAX_FREQUENCY = 8192
/** A query of this many words is a sentence: it describes what is looked for, and does not name it. */
const SENTENCE = 4
/** Steps of what is done most. */
export const STEPS = { posting: 0.12, note: 0.3, title: 10 } as const

/** A match in the scratch: the kind plus one, of a typing error also its rank, and a bit for title or tags. */
const FIRST_TYPO = Kind.typo + 1
const NAMED = 32
const kindOf = (match: number): Kind => Math.min((match & (NAMED - 1)) - 1, Kind.typo) as Kind

export const isNamed = (match: number): boolean => match >= NAMED

/** The rank of the typing error by which a note matches the clause that is being scored. */
export const rankOf = (match: number): number => (match & (NAMED - 1)) - FIRST_TYPO

/** The score of a note where there is one word alone: by the kind of match, then title or tags, then the frequency. */
const scoreAlone = (kind: Kind, quality: number, frequency: number, isNamed: boolean): number =>
  kind === Kind.typo
    ? (0.9 * quality + 0.1 * impactOf(frequency, isNamed)) / 5
    : (2 * (Kind.typo - kind) + (isNamed ? 1 : 0) + saturated(frequency)) / 10

/** A clause as it was understood: what it weighs, and the terms that it stands for. */
export interface Reading {
  readonly clause: Clause
  weight: number
  expanded: Array<Expanded>
  /** Words that stand for it together, where no note has it as one. */
  together: ReadonlyArray<ReadonlyArray<Expanded>> | undefined
  /** Ways to write it apart that some note has. */
  apart: ReadonlyArray<Sequence>
  /** Number of notes that have the word or its forms, whatever the filters; 0 for other clauses. */
  notes: number
  /** Number of notes that match it, pass the filters, and match the required clauses. */
  found: number
}

/** What the notes of one search have of its clauses, added up clause by clause in the columns of the scratch. */
export class Scorer {
  /** Number of notes that match some clause. */
  touched = 0
  /** Clauses, as bits, that a note must match to be collected. */
  required = 0
  readonly isSentence: boolean
  /** Notes with all phrases; undefined where there are none. */
  within: Set<number> | undefined
  /** Average number of tokens of a body. */
  readonly average: number
  readonly passes: (note: number) => boolean
  /** Where the filters ask for no more: by the state of a note whether it passes (1) or not (2). */
  readonly #byState: Uint8Array | undefined
  readonly #isAlone: boolean
  readonly #store: IndexStore
  readonly #scratch: ScoreBuffers
  readonly #budget: Budget

  constructor(store: IndexStore, query: Query, filters: Filters, scratch: ScoreBuffers, budget: Budget) {
    this.#store = store
    this.#scratch = scratch
    this.#budget = budget
    const count = query.clauses.length + query.phrases.length
    this.isSentence = count >= SENTENCE
    this.#isAlone = count === 1
    const { entries } = store
    const passes = filterOf(entries, filters, query.tags, query.excludedTags)
    this.average = Math.max(1, entries.tokens / Math.max(1, entries.size))
    const { archived = false } = filters
    this.#byState =
      isPlain(filters) && query.phrases.length + query.tags.length + query.excludedTags.length === 0
        ? Uint8Array.of(2, archived === true ? 2 : 1, archived === false ? 2 : 1)
        : undefined
    this.passes = (note) => {
      const known = scratch.passes[note]!
      if (known > 0) return known === 1
      const isIn = passes(note) && (this.within === undefined || this.within.has(note))
      scratch.passes[note] = isIn ? 1 : 2
      return isIn
    }
  }

  /** Collects the notes that pass with any of the terms in a list, the best match of each in the scratch. */
  *collect(terms: ReadonlyArray<Expanded>, found: NoteList): Sliced<void> {
    found.count = 0
    const scratch = this.#scratch
    const { list, matched, passes } = scratch
    const { required } = this
    const { entries, postings } = this.#store
    const { lengths, spoken, states, titleLengths } = entries.columns
    const byState = this.#byState
    const perToken = 1 / this.average
    for (const [rank, { kind, languages, term }] of terms.entries()) {
      postings.read(term, list)
      const { count, notes, slots } = list
      const share = KIND_FREQUENCY[kind]
      const match = kind === Kind.typo ? FIRST_TYPO + rank : kind + 1
      for (let i = 0; i < count; i++) {
        const note = notes[i]!
        if ((matched[note]! & required) !== required) continue
        let known = passes[note]!
        if (known === 0) {
          known = byState === undefined ? (this.passes(note) ? 1 : 2) : byState[states[note]!]!
          passes[note] = known
        }
        if (known === 2) continue
        if (languages !== -1 && (languages & (1 << spoken[note]!)) === 0) continue
        const slot = slots[i]!
        const fields = FIELDS[slot]!
        const titleLength = (fields & 1) > 0 ? titleLengths[note]! : 0
        const frequency = frequencyOf(COUNTS[slot]!, fields, lengths[note]! * perToken, titleLength)
        if (scratch.match[note] === 0) found.push(note)
        this.#match(note, match, frequency * share, (fields & 3) > 0)
      }
      if (this.#budget.spend(2 + count * STEPS.posting)) yield
    }
  }

  /** Takes in a note that matches the clause that is being scored, if it passes. */
  add(note: number, kind: Kind, frequency: number, isNamed: boolean, found: NoteList): void {
    if ((this.#scratch.matched[note]! & this.required) !== this.required || !this.passes(note)) return
    if (this.#scratch.match[note] === 0) found.push(note)
    this.#match(note, kind + 1, frequency, isNamed)
  }

  /** All that a note has of a word adds up; its kind is that of the best match. */
  #match(note: number, match: number, frequency: number, isNamed: boolean): void {
    const scratch = this.#scratch
    const before = scratch.match[note]!
    const own = before & (NAMED - 1)
    scratch.match[note] = (own === 0 || match < own ? match : own) | (before & NAMED) | (isNamed ? NAMED : 0)
    const sum = Math.round(frequency * FRACTIONS) / FRACTIONS + (before === 0 ? 0 : scratch.frequency[note]!)
    scratch.frequency[note] = Math.min(sum, MAX_FREQUENCY)
  }

  /** How many of the notes have the best kind that was found, the word and its forms counted together. */
  frequencyOf(found: NoteList): number {
    const counts = [0, 0, 0, 0, 0]
    for (const note of found.all) counts[kindOf(this.#scratch.match[note]!)]!++
    return counts[0]! + counts[1]! || (counts.find((count) => count > 0) ?? 0)
  }

  /** Forgets what the notes have of the clauses. */
  clear(readings: ReadonlyArray<Reading>): void {
    const { matched, named, score, touched } = this.#scratch
    for (const note of touched.subarray(0, this.touched)) {
      matched[note] = 0
      named[note] = 0
      score[note] = 0
    }
    this.touched = 0
    this.required = 0
    for (const reading of readings) {
      reading.weight = 0
      reading.found = 0
      reading.together = undefined
      reading.apart = []
    }
  }

  /** All notes that pass, in a query without words. */
  *everything(): Sliced<Int32Array> {
    const found = this.#scratch.enough
    found.count = 0
    const { entries } = this.#store
    for (let note = 0; note < entries.capacity; note++) {
      if (this.passes(note)) {
        found.push(note)
        this.#scratch.score[note] = 1
      }
      if (note % 8192 === 8191 && this.#budget.spend(8192 * STEPS.note)) yield
    }
    return found.all
  }

  /**
   * Adds the clause to the scores of the notes found, and prepares the columns for the next clause. `frequency`: how many
   * notes are thought to match the clause; `typos`: the terms to which the ranks of typing errors refer.
   */
  *take(
    index: number,
    reading: Reading,
    found: NoteList,
    frequency: number,
    typos: ReadonlyArray<Expanded> = []
  ): Sliced<void> {
    const { frequency: frequencies, match, matched, named, score, touched } = this.#scratch
    const { size } = this.#store.entries
    if (found.count > 0) reading.weight ||= weightOf(Math.min(frequency, size), size)
    const { weight } = reading
    for (const note of found.all) {
      const own = match[note]!
      const kind = kindOf(own)
      const hasName = isNamed(own)
      const quality = kind === Kind.typo ? typos[rankOf(own)]!.quality : 1
      if (matched[note] === 0) touched[this.touched++] = note
      matched[note]! |= 1 << index
      if (hasName) named[note]! |= 1 << index
      const impact = impactOf(frequencies[note]!, hasName && !this.isSentence)
      score[note] = this.#isAlone
        ? scoreAlone(kind, quality, frequencies[note]!, hasName)
        : score[note]! + weight * KIND_WEIGHT[kind] * quality * impact
      match[note] = 0
    }
    reading.found += found.count
    if (this.#budget.spend(found.count * STEPS.note)) yield
  }
}
