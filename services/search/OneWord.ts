import type { Budget, Sliced } from "../concurrency/Budget.ts"
import { type Expanded, Kind } from "./Expansion.ts"
import type { IndexStore } from "./IndexStore.ts"
import type { NoteList } from "./NoteList.ts"
import { BODY_FREQUENCY, FIELD_FREQUENCY, impactOf, longestWith, normOf } from "./Relevance.ts"
import type { Scratch } from "./Scratch.ts"
import { FORM_FREQUENCY, impactAlone, scoreAlone, STEPS } from "./Tally.ts"

/** So many times as many notes as are wanted are kept before all but the best are let go. */
const MANY = 8

/**
 * What a note has of the word, as bits: a larger number is a better note, whatever the frequencies. For kinds of matches do
 * not mix, and what stands in a title or a tag no body reaches.
 */
const Has = { some: 1, field: 2, exact: 4, named: 6, scored: 8 } as const

/** What a note has with a posting of a form, and of the word itself, by slot. */
const HAS_FORM = Uint8Array.from(FIELD_FREQUENCY, (field) => Has.some | (field > 0 ? Has.field : 0))
const HAS_WORD = HAS_FORM.map((has) => has | Has.exact)

/** Notes that were counted, and of them those with the word or a form of it. */
export interface Counted {
  readonly total: number
  readonly frequency: number
}

/**
 * A search for one word alone of which a few hits of very many are shown: all notes are counted, and only those scored that
 * may be among the first. Where notes with the word itself are enough, those with forms of it are counted and no more; where
 * enough have it in title or tags, so are all others.
 */
export class OneWord {
  readonly #store: IndexStore
  readonly #scratch: Scratch
  readonly #budget: Budget
  readonly #byState: Uint8Array
  readonly #perToken: number
  readonly #most: number
  /** By what notes have of the word: how many have so much or more. */
  readonly #counts = new Int32Array(Has.named + 1)
  /** Below this, so many others are better. */
  #least = 0
  /** By slot how long the body of a note may be that is not below it with the word alone. */
  readonly #longest = new Float64Array(HAS_WORD.length).fill(Infinity)
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
    const { kind: has, list } = this.#scratch
    const { postings } = this.#store
    const own = terms.filter((each) => each.kind <= Kind.form)
    try {
      list.count = 0
      const ends: Array<number> = []
      for (const each of own) {
        const from = list.count
        postings.append(each.term, list)
        this.#mark(each, from)
        ends.push(list.count)
        if (this.#budget.spend(2 + (list.count - from) * STEPS.posting)) yield
      }
      const frequency = this.#counts[Has.some]!
      if (frequency < this.#most) return undefined
      this.#score(own, ends, into)
      if (this.#budget.spend(list.count * STEPS.posting)) yield
      let total = frequency
      for (const each of terms) {
        if (each.kind <= Kind.form) continue
        postings.read(each.term, list)
        total += this.#count(each)
        if (this.#budget.spend(2 + (list.count * STEPS.posting) / 2)) yield
      }
      return { total, frequency }
    } finally {
      has.fill(0, 0, this.#store.entries.capacity)
    }
  }

  /** Marks the notes of a term, whose postings stand in the list from there on. */
  #mark({ kind, languages }: Expanded, from: number): void {
    const { spoken, states } = this.#store.entries
    const { kind: has, list } = this.#scratch
    const byState = this.#byState
    // Taken before the loop: V8 would leave its code at the end of each, as this object changes its shape when it is made.
    const counts = this.#counts
    const { count, notes, slots } = list
    const bySlot = kind === Kind.form ? HAS_FORM : HAS_WORD
    let some = 0
    let exact = 0
    let named = 0
    for (let i = from; i < count; i++) {
      const note = notes[i]!
      if (byState[states[note]!] !== 1) continue
      if (languages !== -1 && (languages & (1 << spoken[note]!)) === 0) continue
      const before = has[note]!
      const after = before | bySlot[slots[i]!]!
      if (after === before) continue
      has[note] = after
      if (before === 0) some++
      if (before < Has.exact && after >= Has.exact) exact++
      if (before < Has.named && after >= Has.named) named++
    }
    counts[Has.some]! += some
    counts[Has.exact]! += exact
    counts[Has.named]! += named
  }

  /** Puts those of the marked notes into a list that may be among the best, with their scores. */
  #score(terms: ReadonlyArray<Expanded>, ends: ReadonlyArray<number>, into: NoteList): void {
    const { found, frequency: frequencies, kind: has } = this.#scratch
    const least = [Has.named, Has.exact].find((each) => this.#counts[each]! >= this.#most) ?? Has.some
    into.count = 0
    found.count = 0
    const from = (index: number) => ends[index - 1] ?? 0
    const add = (index: number) => this.#add(terms[index]!, from(index), ends[index]!, least)
    const word = least === Has.some ? -1 : terms.findIndex(({ kind }) => kind === Kind.exact)
    // Where the word itself is enough, notes with it alone are done with one by one. The others add up in the order of the
    // terms, as everywhere: sums in another order are not the same to the last digit.
    if (word >= 0) {
      for (const index of terms.keys())
        if (index !== word) this.#markFormed(terms[index]!, from(index), ends[index]!, least)
      this.#addWord(from(word), ends[word]!, least, into)
    }
    for (const index of terms.keys()) if (index !== word) add(index)
    const { count, notes } = found
    for (let i = 0; i < count; i++) {
      const note = notes[i]!
      const own = has[note]!
      const kind = (own & Has.exact) > 0 ? Kind.exact : Kind.form
      const score = scoreAlone(kind, impactOf(frequencies[note]!, (own & Has.field) > 0))
      if (score >= this.#least) this.#put(note, score, into)
    }
    if (into.count > this.#most) this.#prune(into)
  }

  /** Adds up what notes with no less than `least` have of a term. */
  #add({ kind, languages }: Expanded, from: number, until: number, least: number): void {
    const { lengths, spoken } = this.#store.entries
    const { found, frequency: frequencies, kind: has, list } = this.#scratch
    const perToken = this.#perToken
    const { notes, slots } = list
    const share = kind === Kind.form ? FORM_FREQUENCY : 1
    for (let i = from; i < until; i++) {
      const note = notes[i]!
      if (has[note]! < least) continue
      if (languages !== -1 && (languages & (1 << spoken[note]!)) === 0) continue
      const slot = slots[i]!
      const frequency = (BODY_FREQUENCY[slot]! / normOf(lengths[note]! * perToken) + FIELD_FREQUENCY[slot]!) * share
      if (has[note]! < Has.scored) {
        has[note]! |= Has.scored
        found.push(note)
        frequencies[note] = frequency
      } else frequencies[note]! += frequency
    }
  }

  /** Marks notes with no less than `least` that have a form as well. */
  #markFormed({ languages }: Expanded, from: number, until: number, least: number): void {
    const { spoken } = this.#store.entries
    const { kind: has, list } = this.#scratch
    const { notes } = list
    for (let i = from; i < until; i++) {
      const note = notes[i]!
      if (has[note]! < least || (languages !== -1 && (languages & (1 << spoken[note]!)) === 0)) continue
      has[note]! |= Has.scored
    }
  }

  /** Scores the notes with the word alone; of those with forms as well the frequency of the word is where theirs is added. */
  #addWord(from: number, until: number, least: number, into: NoteList): void {
    const { lengths } = this.#store.entries
    const { found, frequency: frequencies, kind: has, list } = this.#scratch
    const longest = this.#longest
    const perToken = this.#perToken
    const { notes, slots } = list
    for (let i = from; i < until; i++) {
      const note = notes[i]!
      const own = has[note]!
      if (own < least) continue
      const slot = slots[i]!
      const isAlone = own < Has.scored
      if (isAlone && lengths[note]! > longest[slot]!) continue
      const frequency = BODY_FREQUENCY[slot]! / normOf(lengths[note]! * perToken) + FIELD_FREQUENCY[slot]!
      if (!isAlone) {
        found.push(note)
        frequencies[note] = frequency
        continue
      }
      const score = scoreAlone(Kind.exact, impactOf(frequency, (own & Has.field) > 0))
      if (score >= this.#least) this.#put(note, score, into)
    }
  }

  /** How many notes of the term in the list were not counted yet. */
  #count({ languages }: Expanded): number {
    const { spoken, states } = this.#store.entries
    const { kind: isCounted, list } = this.#scratch
    const byState = this.#byState
    const { count, notes } = list
    let found = 0
    for (let i = 0; i < count; i++) {
      const note = notes[i]!
      if (isCounted[note]! > 0 || byState[states[note]!] !== 1) continue
      if (languages !== -1 && (languages & (1 << spoken[note]!)) === 0) continue
      isCounted[note] = 1
      found++
    }
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
    const scores = new Float64Array(into.count)
    for (let i = 0; i < into.count; i++) scores[i] = score[into.notes[i]!]!
    const least = scores.sort()[scores.length - this.#most]!
    this.#least = least
    // A token more, as what is reckoned backwards is not exact.
    for (let slot = 0; slot < this.#longest.length; slot++) {
      this.#longest[slot] = longestWith(impactAlone(least), slot) / this.#perToken + 1
    }
    into.keep((note) => {
      const isKept = score[note]! >= least
      if (!isKept) score[note] = 0
      return isKept
    })
    // Very many may be as good as each other.
    this.#room = Math.max(this.#room, MANY * into.count)
  }
}
