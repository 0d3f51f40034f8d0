import type { Budget, Sliced } from "../concurrency/Budget.ts"
import { Kind } from "./Expansion.ts"
import type { IndexStore } from "./IndexStore.ts"
import type { Reading } from "./Tally.ts"
import { eachTerm } from "./Positions.ts"
import { saturated } from "./Relevance.ts"
import type { Scratch } from "./Scratch.ts"

/** So many of the best notes are looked through. */
export const NEAR_NOTES = 50
/** Words so far apart are near each other, in any order (the usual window of two words). */
const WINDOW = 8
/** What neighbours tell beside the words themselves. */
export const NEAR_WEIGHT = 0.2
/** Of a long note so much is looked at. */
const MAX_ROW = 16_384

/** Notes in which words stand near each other that were typed one after the other rise. */
export function* proximity(
  store: IndexStore,
  readings: ReadonlyArray<Reading>,
  notes: ReadonlyArray<number>,
  scratch: Scratch,
  budget: Budget
): Sliced<void> {
  /** By term its clause, plus one. */
  const clauses = scratch.termsOf(store.vocabulary.size)
  const mark = (isMarked: boolean) => {
    for (const [index, { expanded }] of readings.entries()) {
      for (const { kind, term } of expanded) if (kind <= Kind.form) clauses[term] = isMarked ? index + 1 : 0
    }
  }
  mark(true)
  const last = new Int32Array(readings.length + 2)
  const pairs = new Int32Array(readings.length + 2)
  let steps = 0
  for (const note of notes) {
    const row = store.positions.of(note)
    last.fill(-WINDOW - 1)
    pairs.fill(0)
    let place = 0
    eachTerm(row.length > MAX_ROW ? row.subarray(0, MAX_ROW) : row, (term) => {
      // Fields are not near each other.
      place += term < 0 ? WINDOW : 1
      const clause = term < 0 ? 0 : clauses[term]!
      if (clause === 0) return
      if (place - last[clause - 1]! <= WINDOW) pairs[clause - 1]!++
      if (place - last[clause + 1]! <= WINDOW) pairs[clause]!++
      last[clause] = place
    })
    for (let clause = 1; clause < readings.length; clause++) {
      if (pairs[clause] === 0) continue
      const weight = (readings[clause - 1]!.weight + readings[clause]!.weight) / 2
      scratch.score[note]! += NEAR_WEIGHT * weight * saturated(pairs[clause]!)
    }
    steps += row.length / 20
  }
  mark(false)
  if (budget.spend(steps)) yield
}
