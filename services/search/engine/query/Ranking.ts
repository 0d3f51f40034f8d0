import type { Budget, Sliced } from "../../../concurrency/Budget.ts"
import type { IndexStore } from "../index/IndexStore.ts"
import { best, byText } from "./Comparators.ts"
import type { Query } from "./Query.ts"
import type { ScoreBuffers } from "./ScoreBuffers.ts"
import { type Reading, type Scorer, STEPS, weightOf } from "./Scorer.ts"
import { eachTerm } from "../index/TokenRows.ts"
import { TypedTitle } from "./TypedTitle.ts"

/** If fewer notes have all words, notes with some of the words follow, and typing errors are allowed. */
export const FEW = 20
/** Minimum share of the best note's weight for a note to follow: higher for few words than for a sentence. */
const LEAST_COVERAGE = { words: 0.5, sentence: 0.1 } as const
/** Share of the words of a short query by which a note is found if title and tags have them, whatever other notes have. */
const MOST = 2 / 3
/** Share of the score of a note with all words of a short query that other notes cannot reach. */
const COMPLETE = 0.25
/** Maximum score of notes whose titles were not typed. Each rank of a typed title has its range of scores above. */
const UNTITLED = 0.9
const RANK = 0.03
/** Number of the best notes that relevance feedback reads, and of the terms that it takes from them. */
const FEEDBACK_NOTES = 8
const FEEDBACK_TERMS = 24
/** Weight of all feedback terms, as a share of the query's weight. More costs relevance in exact questions. */
const FEEDBACK_WEIGHT = 0.1
/** Maximum bytes of a row that are read. */
const MAX_ROW = 8_192
/** Number of notes per term that come first when it is not clear which term was meant, the likeliest term first. */
const SHARES = [4, 2, 1, 1, 1, 1] as const
/** Distance between their scores, as a share of the highest possible score. */
const PLACE = 0.001

/** Selects and orders the matching notes, once their clauses are added up. */
export class Ranking {
  readonly #store: IndexStore
  readonly #query: Query
  readonly #readings: ReadonlyArray<Reading>
  readonly #scorer: Scorer
  readonly #scratch: ScoreBuffers
  readonly #budget: Budget

  constructor(
    store: IndexStore,
    query: Query,
    readings: ReadonlyArray<Reading>,
    scorer: Scorer,
    scratch: ScoreBuffers,
    budget: Budget
  ) {
    this.#store = store
    this.#query = query
    this.#readings = readings
    this.#scorer = scorer
    this.#scratch = scratch
    this.#budget = budget
  }

  /**
   * The notes that are found. Their scores become 0 to 1: first the notes whose titles were typed. Notes with all words
   * of a short query rank higher than others.
   */
  *ranked(): Sliced<Int32Array> {
    const { matched, named, score } = this.#scratch
    const { entries } = this.#store
    const { isSentence } = this.#scorer
    const all = this.#readings.reduce((bits, { bit, found }) => (found > 0 ? bits | bit : bits), 0)
    const enough = this.#enough(all)
    // Single characters, of which sequences consist, carry no meaning.
    if (isSentence && this.#query.clauses.every(({ kind }) => kind === "word")) {
      yield* this.#addFeedback(enough)
    }
    const { most } = this.#scorer
    const typed = new TypedTitle(this.#query.words)
    for (const note of enough) {
      const share = score[note]! / most
      const bonus = (matched[note]! & all) === all ? COMPLETE : 0
      const part = isSentence ? share : bonus + (1 - COMPLETE) * share
      const hasAll = (named[note]! & all) === all
      const isNamed = hasAll || (typed.hasSigns && named[note] !== 0)
      const isCompared = isNamed && entries.columns.titleLengths[note]! <= typed.longest
      const rank = isCompared ? typed.rankOf(entries.titleOf(note), hasAll) : 0
      score[note] = rank === 0 ? UNTITLED * part : UNTITLED + RANK * (rank - 1 + part)
      if (this.#budget.spend(isCompared ? STEPS.title : STEPS.note)) yield
    }
    return enough
  }

  /**
   * The notes with all words, or with most of them in title and tags; or with enough if few have all. `all`: the clauses
   * that some note matches, as bits.
   */
  #enough(all: number): Int32Array {
    // No clause is being added: the column of its notes is free.
    const { found, matched, named } = this.#scratch
    const { isSentence, notes, required } = this.#scorer
    const hasAll = (note: number) => (matched[note]! & all) === all
    const hasRequired = (note: number) => (matched[note]! & required) === required
    const maxNames = MOST * bitsIn(all)
    // A sentence describes a note in words that the note need not have.
    const isMostlyNamed = (note: number) => !isSentence && bitsIn(named[note]! & all) >= maxNames && hasRequired(note)
    let complete = 0
    for (const note of notes) if (hasAll(note)) complete++
    if (!isSentence && complete >= FEW) return keep(notes, found, (note) => hasAll(note) || isMostlyNamed(note))
    const weights = new Map<number, number>()
    for (const note of notes) {
      const bits = matched[note]!
      if (weights.has(bits)) continue
      weights.set(
        bits,
        this.#readings.reduce((sum, { bit, weight }) => ((bits & bit) === 0 ? sum : sum + weight), 0)
      )
    }
    const most = weights.values().reduce((highest, weight) => Math.max(highest, weight), 0)
    const least = LEAST_COVERAGE[isSentence ? "sentence" : "words"] * most
    const hasWeight = (note: number) => hasRequired(note) && weights.get(matched[note]!)! >= least
    return keep(notes, found, (note) => hasWeight(note) || isMostlyNamed(note))
  }

  /**
   * Relevance feedback: a sentence has other words than the notes that it describes. Terms that the best notes share
   * raise all notes that have them.
   */
  *#addFeedback(notes: Int32Array): Sliced<void> {
    const { entries, positions, vocabulary } = this.#store
    const counts = new Map<number, number>()
    for (const note of best(notes, FEEDBACK_NOTES, this.#byScore)) {
      const row = positions.of(note).subarray(0, MAX_ROW)
      eachTerm(row, (term) => counts.set(term, (counts.get(term) ?? 0) + 1))
      if (this.#budget.spend(row.length / 20)) yield
    }
    const weighed = [...counts].flatMap(([term, count]) => {
      const found = vocabulary.notesOf(term)
      return found > entries.size / 4 ? [] : [{ term, weight: count * weightOf(found, entries.size) }]
    })
    weighed.sort((a, b) => b.weight - a.weight || byText(vocabulary.termAt(a.term), vocabulary.termAt(b.term)))
    const chosen = weighed.slice(0, FEEDBACK_TERMS)
    const all = chosen.reduce((sum, { weight }) => sum + weight, 0)
    const most = FEEDBACK_WEIGHT * this.#scorer.most
    for (const { term, weight } of chosen) yield* this.#scorer.boost(term, (most * weight) / all)
  }

  /** When it is not clear which term was meant, puts notes of several terms first. `terms`: the likeliest first. */
  mix(terms: ReadonlyArray<number>, notes: Int32Array): void {
    const { list, marks, score } = this.#scratch
    const shown: Array<number> = []
    let groups = 0
    for (const note of notes) marks[note] = 1
    for (const term of terms) {
      this.#store.postings.read(term, list)
      const own = keep(list.notes.subarray(0, list.count), list.notes, (note) => marks[note] === 1)
      for (const note of own) marks[note] = 0
      if (own.length > 0) shown.push(...best(own, SHARES[groups++] ?? 0, this.#byScore))
    }
    for (const note of notes) marks[note] = 0
    if (groups < 2) return
    const highest = notes.reduce((most, note) => Math.max(most, score[note]!), 0)
    for (const [place, note] of shown.entries()) {
      score[note] = highest + PLACE * this.#scorer.most * (shown.length - place)
    }
  }

  readonly #byScore = (a: number, b: number): number => {
    const { score } = this.#scratch
    const { entries } = this.#store
    // A difference would allocate a number on the heap each time.
    if (score[a]! !== score[b]!) return score[a]! > score[b]! ? -1 : 1
    return byText(entries.idOf(a), entries.idOf(b))
  }
}

const bitsIn = (bits: number): number => {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++
  return count
}

/** Copies some of the notes to a column, which may be their own. `TypedArray.filter` takes ten times as long. */
const keep = (notes: Int32Array, into: Int32Array, isKept: (note: number) => boolean): Int32Array => {
  let count = 0
  for (const note of notes) if (isKept(note)) into[count++] = note
  return into.subarray(0, count)
}
