import type { Budget, Sliced } from "../concurrency/Budget.ts"
import { best } from "./Best.ts"
import { feedback, TELLING_NOTES } from "./Feedback.ts"
import type { IndexStore } from "./IndexStore.ts"
import type { Reading } from "./Tally.ts"
import { NEAR_NOTES, proximity } from "./Proximity.ts"
import { FIELD_BONUS, MAX_IMPACT } from "./Relevance.ts"
import type { Scratch } from "./Scratch.ts"
import { TITLED_NOTES, withWholeTitle } from "./WholeTitles.ts"

/** How much less likely a word may be to be shown among the first, and how many notes of each, the likeliest word first. */
export const NEARLY_AS_LIKELY = 1
export const SHARES = [4, 2, 1, 1, 1, 1] as const
/** Above the scores of all typing errors, below those of all else. */
const FIRST_MIXED = 0.2
/** A note with a word that was guessed is no exact match: so much of its score stays, and the first ones stand above. */
const GUESSED = 0.9
const FIRST_GUESSED = 0.95
/** What it tells that the words are the whole title. */
export const TITLE_WEIGHT = 0.75
/** A title with so much of what a sentence weighs is what was typed. */
const NAMED = 0.7

/** What raises some notes of those that match above others, whatever their words weigh. */
export class Ranking {
  readonly #store: IndexStore
  readonly #readings: ReadonlyArray<Reading>
  readonly #scratch: Scratch
  readonly #budget: Budget

  constructor(store: IndexStore, readings: ReadonlyArray<Reading>, scratch: Scratch, budget: Budget) {
    this.#store = store
    this.#readings = readings
    this.#scratch = scratch
    this.#budget = budget
  }

  /** Who types the whole title of a note means that note. */
  *entitle(enough: Int32Array, total: number): Sliced<void> {
    const { score } = this.#scratch
    const near = best(enough, TITLED_NOTES, this.#byScore)
    const isAlone = this.#readings.length === 1
    for (const note of yield* withWholeTitle(this.#store, this.#readings, near, this.#scratch, this.#budget)) {
      // Alone, kinds of matches do not mix: each has a fifth of all scores.
      score[note] = isAlone
        ? score[note]! + (Math.ceil(score[note]! * 5) / 5 - score[note]!) / 2
        : score[note]! + TITLE_WEIGHT * total
    }
  }

  readonly #byScore = (a: number, b: number): number => {
    const { score } = this.#scratch
    const { entries } = this.#store
    // The difference would be a number on the heap, each time.
    if (score[a]! !== score[b]!) return score[a]! > score[b]! ? -1 : 1
    return entries.at(a)!.id < entries.at(b)!.id ? -1 : 1
  };

  /** What a sentence tells beside its words: where they are a title, where they stand near each other, and what the best notes say. */
  *listen(enough: Int32Array, total: number): Sliced<void> {
    const { named, score } = this.#scratch
    for (const note of enough) {
      if (named[note]! >= NAMED * total) score[note]! += (named[note]! * FIELD_BONUS) / MAX_IMPACT
    }
    const near = best(enough, NEAR_NOTES, this.#byScore)
    yield* proximity(this.#store, this.#readings, near, this.#scratch, this.#budget)
    const telling = near.sort(this.#byScore).slice(0, TELLING_NOTES)
    if (telling.length > 1) yield* feedback(this.#store, telling, total, this.#scratch, this.#budget)
  }

  /** Notes by the likelihood of the word that they have. */
  byQuality(found: Int32Array): Map<number, Array<number>> {
    const groups = new Map<number, Array<number>>()
    for (const note of found) {
      const quality = this.#scratch.quality[note]!
      const group = groups.get(quality)
      if (group === undefined) groups.set(quality, [note])
      else group.push(note)
    }
    return groups
  }

  /** The same where all of them are guesses: the notes of the likeliest word, then those of each other one. */
  mixGuesses(groups: ReadonlyArray<ReadonlyArray<number>>): void {
    const { score } = this.#scratch
    let first = FIRST_GUESSED
    const shown = groups.slice(0, SHARES.length).map((own, rank) => best(own, SHARES[rank]!, this.#byScore))
    for (const own of groups) for (const note of own) score[note]! *= GUESSED
    for (const own of shown) for (const note of own) score[note] = first -= 0.001
  }

  /** Where it is not clear which word was meant, the first hits are of several. */
  mix(byQuality: ReadonlyMap<number, Array<number>>): void {
    const { score } = this.#scratch
    const [likeliest = 0, ...others] = [...byQuality.keys()].sort((a, b) => b - a)
    const near = others.filter((quality) => 1 / quality - 1 / likeliest <= NEARLY_AS_LIKELY)
    let first = FIRST_MIXED
    for (const [rank, quality] of [likeliest, ...near].slice(0, SHARES.length).entries()) {
      const own = best(byQuality.get(quality) ?? [], SHARES[rank]!, this.#byScore)
      for (const note of own) score[note] = first -= 0.001
    }
  }
}
