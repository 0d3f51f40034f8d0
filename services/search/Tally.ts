import type { Budget, Sliced } from "../concurrency/Budget.ts"
import { type Expanded, Kind } from "./Expansion.ts"
import { filterOf, type Filters, isPlain } from "./Filters.ts"
import type { IndexStore } from "./IndexStore.ts"
import type { NoteList } from "./NoteList.ts"
import type { Clause, Query, Sequence } from "./Query.ts"
import { BODY_FREQUENCY, FIELD_FREQUENCY, impactOf, normOf, weightOf } from "./Relevance.ts"
import type { Scratch } from "./Scratch.ts"

/** What a match of each kind tells, where there are other words to tell more. */
const KIND_WEIGHT = [1, 0.9, 0.75, 0.7, 0.6] as const
/** A form beside the word itself, as an occurrence. */
export const FORM_FREQUENCY = 0.9
/** A query of so many words is a sentence: it describes what is looked for, and does not name it. */
const SENTENCE = 4
/** Steps of what is done most. */
export const STEPS = { posting: 0.12, note: 0.3 } as const

/** The score of a note where there is one word alone. Kinds of matches do not mix: each has a fifth of all scores. */
export const scoreAlone = (kind: Kind, impact: number): number => (4 - kind + impact) / 5
/** The impact of an exact match with such a score. */
export const impactAlone = (score: number): number => 5 * score - 4

/** A clause as it was understood: what it weighs, and the terms that it stands for. */
export interface Reading {
  readonly clause: Clause
  weight: number
  expanded: Array<Expanded>
  /** Words that stand for it together, where no note has it as one. */
  together: ReadonlyArray<ReadonlyArray<Expanded>> | undefined
  /** Ways to write it apart that some note has. */
  apart: ReadonlyArray<Sequence>
  /** Notes of those that pass. */
  found: number
}

/** What the notes of one search have of its clauses, clause by clause, in the columns of the scratch. */
export class Tally {
  /** Notes that match some clause, whether they are many enough or not. */
  touched = 0
  readonly isSentence: boolean
  /** Notes with all phrases; undefined where there are none. */
  within: Set<number> | undefined
  readonly average: number
  readonly passes: (note: number) => boolean
  /** Where the filters ask for no more: by the state of a note whether it passes (1) or not (2). */
  readonly byState: Uint8Array | undefined
  readonly #isAlone: boolean
  readonly #store: IndexStore
  readonly #scratch: Scratch
  readonly #budget: Budget

  constructor(store: IndexStore, query: Query, filters: Filters, scratch: Scratch, budget: Budget) {
    this.#store = store
    this.#scratch = scratch
    this.#budget = budget
    this.isSentence = query.clauses.length >= SENTENCE
    this.#isAlone = query.clauses.length === 1
    const passes = filterOf(filters, query.tags, query.excludedTags)
    const { entries } = store
    this.average = Math.max(1, entries.tokens / Math.max(1, entries.size))
    const { archived = false } = filters
    this.byState =
      isPlain(filters) && query.phrases.length + query.tags.length + query.excludedTags.length === 0
        ? Uint8Array.of(2, archived === true ? 2 : 1, archived === false ? 2 : 1)
        : undefined
    this.passes = (note) => {
      const known = scratch.passes[note]!
      if (known > 0) return known === 1
      const entry = entries.at(note)
      const isIn = entry !== undefined && passes(entry) && (this.within === undefined || this.within.has(note))
      scratch.passes[note] = isIn ? 1 : 2
      return isIn
    }
  }

  /** Collects the notes that pass with any of the terms in a list, the best kind of each in the scratch. */
  *collect(terms: ReadonlyArray<Expanded>, found: NoteList): Sliced<void> {
    found.count = 0
    const scratch = this.#scratch
    const { list, passes } = scratch
    const { entries, postings } = this.#store
    const { lengths, spoken, states } = entries
    const byState = this.byState
    const perToken = 1 / this.average
    for (const { kind, languages, quality, term } of terms) {
      postings.read(term, list)
      const { count, notes, slots } = list
      const share = kind === Kind.form ? FORM_FREQUENCY : 1
      for (let i = 0; i < count; i++) {
        const note = notes[i]!
        let known = passes[note]!
        if (known === 0) {
          known = byState === undefined ? (this.passes(note) ? 1 : 2) : byState[states[note]!]!
          passes[note] = known
        }
        if (known === 2) continue
        if (languages !== -1 && (languages & (1 << spoken[note]!)) === 0) continue
        const slot = slots[i]!
        const field = FIELD_FREQUENCY[slot]!
        const frequency = (BODY_FREQUENCY[slot]! / normOf(lengths[note]! * perToken) + field) * share
        if (scratch.kind[note] === 0) found.push(note)
        this.note(note, kind, frequency, quality, field > 0 ? 1 : 0)
      }
      if (this.#budget.spend(2 + count * STEPS.posting)) yield
    }
  }

  /** Notes a match of the clause at hand. The word and its forms add up; of the rest the best counts. */
  note(note: number, kind: Kind, frequency: number, quality: number, inField: number): void {
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
  frequencyOf(found: NoteList): number {
    const counts = [0, 0, 0, 0, 0]
    for (let i = 0; i < found.count; i++) counts[this.#scratch.kind[found.notes[i]!]! - 1]!++
    return counts[0]! + counts[1]! || (counts.find((count) => count > 0) ?? 0)
  }

  /** All notes that pass, without any word to tell them apart. */
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

  /** Notes that were scored otherwise. */
  touch(notes: Int32Array): void {
    this.#scratch.touched.set(notes)
    this.touched = notes.length
  }

  /** Adds what the clause at hand tells to the notes found, and is ready for the next. */
  *take(index: number, reading: Reading, found: NoteList, frequency: number): Sliced<void> {
    const { coverage, frequency: frequencies, inField, kind, matched, named, quality, score, touched } = this.#scratch
    const isAlone = this.#isAlone
    if (found.count > 0)
      reading.weight ||= weightOf(Math.min(frequency, this.#store.entries.size), this.#store.entries.size)
    const { weight } = reading
    for (let i = 0; i < found.count; i++) {
      const note = found.notes[i]!
      const own = (kind[note]! - 1) as Kind
      if (inField[note]! > 0) named[note]! += weight
      // Of the words of a sentence a title has some by chance.
      const impact = impactOf(frequencies[note]!, inField[note]! > 0 && !this.isSentence)
      if (matched[note] === 0) touched[this.touched++] = note
      matched[note]! |= 1 << index
      coverage[note]! += weight
      score[note] = isAlone
        ? scoreAlone(own, own === Kind.typo ? 0.9 * quality[note]! + 0.1 * impact : impact)
        : score[note]! + weight * KIND_WEIGHT[own] * quality[note]! * impact
      kind[note] = 0
    }
    reading.found += found.count
    if (this.#budget.spend(found.count * STEPS.note)) yield
  }
}
