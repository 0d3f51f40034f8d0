import type { Budget, Sliced } from "../concurrency/Budget.ts"
import { best } from "./Order.ts"
import { SHARES } from "./Correction.ts"
import { feedback, FEEDBACK_WEIGHT, READ_NOTES } from "./Feedback.ts"
import type { IndexStore } from "./IndexStore.ts"
import type { Query } from "./Query.ts"
import type { ScoreBuffers } from "./ScoreBuffers.ts"
import { type Reading, STEPS, type Scorer } from "./Scorer.ts"
import { TypedTitle } from "./TypedTitle.ts"

/** Fewer notes than this with all words are few: then others follow, and typing errors are forgiven. */
export const FEW = 20
/** Share of the weight of the best note that a note must have to follow: of few words more than of a sentence. */
const LEAST_COVERAGE = { words: 0.5, sentence: 0.1 } as const
/** Weight of parts that stand side by side, in addition to their weight as words; in a sentence they are some words of many. */
export const CHUNK_WEIGHT = { words: 0.75, sentence: 0.3 } as const
/** Scores of notes whose titles were not typed end here; those of each rank of a typed title have this range above. */
const UNTITLED = 0.9
const RANK = 0.025
/** Number of the best notes whose titles are compared with the beginning of the query. */
const BEGUN_NOTES = 500
/** Distance between the scores of notes that come first by their places. */
const PLACE = 0.001

/** Which of the notes that match are found, and in which order, once their clauses are added up. */
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

  /** What all clauses weigh. */
  get weight(): number {
    return this.#weightOf(-1)
  }

  /** How many notes match all clauses that some note matches. */
  complete(): number {
    const all = this.#all()
    const { matched, touched } = this.#scratch
    if (all === 0) return 0
    let count = 0
    for (let i = 0; i < this.#scorer.touched; i++) if ((matched[touched[i]!]! & all) === all) count++
    return count
  }

  /** The notes that have all words, or enough of them where few have all. */
  enough(): Int32Array {
    const { enough, matched, touched } = this.#scratch
    const { isSentence } = this.#scorer
    const all = this.#all()
    // A sentence describes a note in words that this need not have.
    const needsAll = !isSentence && this.complete() >= FEW
    const weights = new Map<number, number>()
    let most = 0
    for (let i = 0; i < this.#scorer.touched; i++) {
      const clauses = matched[touched[i]!]!
      if (weights.has(clauses)) continue
      const weight = this.#weightOf(clauses)
      weights.set(clauses, weight)
      if (weight > most) most = weight
    }
    const least = LEAST_COVERAGE[isSentence ? "sentence" : "words"] * most
    enough.count = 0
    for (let i = 0; i < this.#scorer.touched; i++) {
      const note = touched[i]!
      const clauses = matched[note]!
      if (needsAll ? (clauses & all) === all : weights.get(clauses)! >= least) enough.push(note)
    }
    return enough.all
  }

  /** Brings the scores between 0 and 1: first notes whose title was typed, then those with all words of a short query. */
  *scoring(enough: Int32Array): Sliced<void> {
    const { matched, named, score } = this.#scratch
    const { entries } = this.#store
    const { isSentence } = this.#scorer
    const isAlone = this.#readings.length === 1
    if (isSentence) yield* this.#listen(enough)
    const all = this.#all()
    const most = this.weight * (1 + CHUNK_WEIGHT[isSentence ? "sentence" : "words"] + FEEDBACK_WEIGHT)
    const typed = new TypedTitle(this.#query.words)
    for (const note of enough) {
      let share = isAlone ? score[note]! : score[note]! / most
      if (!isAlone && !isSentence) share = ((matched[note]! & all) === all ? 1 + share : share) / 2
      const isTitled = (named[note]! & all) === all && entries.columns.titleLengths[note]! <= typed.longest
      const rank = isTitled ? typed.rankOf(entries.titleOf(note)) : 0
      score[note] = rank === 0 ? UNTITLED * share : UNTITLED + RANK * (rank - 1 + share)
      if (this.#budget.spend(isTitled ? STEPS.title : STEPS.note)) yield
    }
    if (typed.hasSigns) yield* this.#raiseBegun(enough, typed)
  }

  /** Raises notes whose titles are names that the query begins with. */
  *#raiseBegun(enough: Int32Array, typed: TypedTitle): Sliced<void> {
    const { named, score } = this.#scratch
    const { entries } = this.#store
    for (const note of best(enough, BEGUN_NOTES, this.#byScore)) {
      if (named[note] === 0 || score[note]! >= UNTITLED || entries.columns.titleLengths[note]! > typed.longest) continue
      if (typed.isBegun(entries.titleOf(note))) score[note] = UNTITLED + RANK * score[note]!
      if (this.#budget.spend(STEPS.title)) yield
    }
  }

  /**
   * Where it is not clear which word was meant, the first hits are of several. `groups`: the notes of each word, the
   * likeliest word first.
   */
  mix(groups: ReadonlyArray<ReadonlyArray<number>>): void {
    const { score } = this.#scratch
    const some = groups.filter((own) => own.length > 0)
    if (some.length < 2) return
    const shown = some.flatMap((own, rank) => best(own, SHARES[rank] ?? 0, this.#byScore))
    let next = some.flat().reduce((most, note) => Math.max(most, score[note]!), 0) + PLACE * shown.length
    for (const note of shown) {
      score[note] = next
      next -= PLACE
    }
  }

  /** What the best notes say raises others that say it. Single characters, of which sequences are made, say nothing. */
  *#listen(enough: Int32Array): Sliced<void> {
    if (this.#query.clauses.some(({ kind }) => kind === "sequence")) return
    const near = best(enough, READ_NOTES, this.#byScore)
    if (near.length > 1) yield* feedback(this.#store, near, this.weight, this.#scratch, this.#budget)
  }

  /** The clauses that some note matches, as bits. */
  #all(): number {
    let all = 0
    for (const [index, { found }] of this.#readings.entries()) if (found > 0) all |= 1 << index
    return all
  }

  /** What clauses weigh together, which are given as bits. */
  #weightOf(clauses: number): number {
    let weight = 0
    for (const [index, reading] of this.#readings.entries()) {
      if ((clauses & (1 << index)) !== 0) weight += reading.weight
    }
    return weight
  }

  readonly #byScore = (a: number, b: number): number => {
    const { score } = this.#scratch
    const { entries } = this.#store
    // A difference would be a number on the heap, each time.
    if (score[a]! !== score[b]!) return score[a]! > score[b]! ? -1 : 1
    return entries.idOf(a) < entries.idOf(b) ? -1 : 1
  }
}
