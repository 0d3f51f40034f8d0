import type { Budget, Sliced } from "../budgets/Budget.ts"
import { type Expanded, Kind } from "./Expansion.ts"
import type { IndexStore } from "./IndexStore.ts"
import type { NoteList } from "./NoteList.ts"
import { BODY_FREQUENCY, FIELD_FREQUENCY, impactOf, normOf } from "./Relevance.ts"
import type { Scratch } from "./Scratch.ts"
import { FORM_FREQUENCY, scoreAlone, STEPS } from "./Tally.ts"

/** What rounding may make of a bound. */
const ROUNDING = 1 + 1e-9
/** So many times as many notes as are wanted are kept before all but the best are let go. */
const MANY = 8

/** Notes that were counted, and of them those with the word or a form of it. */
export interface Counted {
  readonly total: number
  readonly frequency: number
}

/**
 * A search for one word alone of which a few hits of very many are shown: all notes are counted, and only those scored that
 * may be among the first. The kinds of matches do not mix, so that where notes with the word or its forms are enough, the
 * others are counted and no more. Each slot has a score that none of its notes reaches: of a note whose slot is below the
 * worst of the best not even the length is looked at.
 */
export class OneWord {
  readonly #store: IndexStore
  readonly #scratch: Scratch
  readonly #budget: Budget
  readonly #byState: Uint8Array
  readonly #perToken: number
  readonly #most: number
  /** Below this, so many others are better. */
  #least = 0
  #room: number

  /** `byState`: by the state of a note whether it passes (1). `average`: tokens of a body. `most`: how many are wanted. */
  constructor(
    store: IndexStore,
    { average, byState, most }: { readonly average: number; readonly byState: Uint8Array; readonly most: number },
    scratch: Scratch,
    budget: Budget
  ) {
    this.#store = store
    this.#scratch = scratch
    this.#budget = budget
    this.#byState = byState
    this.#perToken = 1 / average
    this.#most = most
    this.#room = MANY * most
  }

  /** Whether it pays: the terms are in many more notes than are wanted. */
  pays(terms: ReadonlyArray<Expanded>): boolean {
    let notes = 0
    for (const { kind, term } of terms) if (kind <= Kind.form) notes += this.#store.vocabulary.notesOf(term)
    return notes > MANY * this.#most
  }

  /**
   * Puts the best notes into a list, their scores into the scratch, and tells how many there are in all. Undefined, with
   * nothing done, where notes with the word or its forms are fewer than are wanted.
   */
  *best(terms: ReadonlyArray<Expanded>, into: NoteList): Sliced<Counted | undefined> {
    const { kind } = this.#scratch
    const own = terms.filter((each) => each.kind <= Kind.form)
    into.count = 0
    try {
      const [only] = own
      const frequency =
        own.length === 1 && only !== undefined ? yield* this.#ofOne(only, into) : yield* this.#ofSeveral(own, into)
      if (frequency < this.#most) {
        for (const note of into.all) this.#scratch.score[note] = 0
        return undefined
      }
      let total = frequency
      for (const each of terms) if (each.kind > Kind.form) total += yield* this.#counting(each)
      return { total, frequency }
    } finally {
      kind.fill(0, 0, this.#store.entries.capacity)
    }
  }

  /** Scores the notes of one term. Returns how many there are. */
  *#ofOne({ kind, languages, term }: Expanded, into: NoteList): Sliced<number> {
    const { lengths, spoken, states } = this.#store.entries
    const { kind: isCounted, list } = this.#scratch
    const byState = this.#byState
    const perToken = this.#perToken
    const share = kind === Kind.form ? FORM_FREQUENCY : 1
    const bounds = Float64Array.from(BODY_FREQUENCY, (body, slot) => {
      const field = FIELD_FREQUENCY[slot]!
      return scoreAlone(kind, impactOf((body / normOf(0) + field) * share, field > 0)) * ROUNDING
    })
    this.#store.postings.read(term, list)
    const { count, notes, slots } = list
    let found = 0
    for (let i = 0; i < count; i++) {
      const note = notes[i]!
      if (byState[states[note]!] !== 1) continue
      if (languages !== -1 && (languages & (1 << spoken[note]!)) === 0) continue
      found++
      isCounted[note] = 1
      const slot = slots[i]!
      if (bounds[slot]! < this.#least) continue
      const field = FIELD_FREQUENCY[slot]!
      const frequency = (BODY_FREQUENCY[slot]! / normOf(lengths[note]! * perToken) + field) * share
      const score = scoreAlone(kind, impactOf(frequency, field > 0))
      if (score >= this.#least) this.#put(note, score, into)
    }
    if (this.#budget.spend(2 + count * STEPS.posting)) yield
    return found
  }

  /** Adds up what the notes have of several terms, and scores them. Returns how many there are. */
  *#ofSeveral(terms: ReadonlyArray<Expanded>, into: NoteList): Sliced<number> {
    const { lengths, spoken, states } = this.#store.entries
    const { found, frequency: frequencies, inField, kind: kinds, list } = this.#scratch
    const byState = this.#byState
    const perToken = this.#perToken
    found.count = 0
    for (const { kind, languages, term } of terms) {
      this.#store.postings.read(term, list)
      const { count, notes, slots } = list
      const share = kind === Kind.form ? FORM_FREQUENCY : 1
      for (let i = 0; i < count; i++) {
        const note = notes[i]!
        if (byState[states[note]!] !== 1) continue
        if (languages !== -1 && (languages & (1 << spoken[note]!)) === 0) continue
        const slot = slots[i]!
        const field = FIELD_FREQUENCY[slot]!
        const frequency = (BODY_FREQUENCY[slot]! / normOf(lengths[note]! * perToken) + field) * share
        if (kinds[note] === 0) {
          found.push(note)
          kinds[note] = kind + 1
          frequencies[note] = frequency
          inField[note] = field > 0 ? 1 : 0
        } else {
          frequencies[note]! += frequency
          if (field > 0) inField[note] = 1
        }
      }
      if (this.#budget.spend(2 + count * STEPS.posting)) yield
    }
    for (const note of found.all) {
      const score = scoreAlone((kinds[note]! - 1) as Kind, impactOf(frequencies[note]!, inField[note]! > 0))
      if (score >= this.#least) this.#put(note, score, into)
    }
    if (this.#budget.spend(found.count * STEPS.note)) yield
    return found.count
  }

  /** How many notes with a term were not counted yet. */
  *#counting({ languages, term }: Expanded): Sliced<number> {
    const { spoken, states } = this.#store.entries
    const { kind: isCounted, list } = this.#scratch
    this.#store.postings.read(term, list)
    const { count, notes } = list
    let found = 0
    for (let i = 0; i < count; i++) {
      const note = notes[i]!
      if (isCounted[note]! > 0 || this.#byState[states[note]!] !== 1) continue
      if (languages !== -1 && (languages & (1 << spoken[note]!)) === 0) continue
      isCounted[note] = 1
      found++
    }
    if (this.#budget.spend(2 + (count * STEPS.posting) / 2)) yield
    return found
  }

  #put(note: number, score: number, into: NoteList): void {
    this.#scratch.score[note] = score
    into.push(note)
    if (into.count >= this.#room) this.#prune(into)
  }

  /** Lets go of all but the best, and of none that is as good as the worst of them. */
  #prune(into: NoteList): void {
    const { score } = this.#scratch
    const scores = Float64Array.from(into.all, (note) => score[note]!).sort()
    const least = scores[scores.length - this.#most]!
    this.#least = least
    into.keep((note) => {
      const isKept = score[note]! >= least
      if (!isKept) score[note] = 0
      return isKept
    })
    // Very many may be as good as each other.
    this.#room = Math.max(this.#room, MANY * into.count)
  }
}
