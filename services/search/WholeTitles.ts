import type { Budget, Sliced } from "../concurrency/Budget.ts"
import { Kind } from "./Expansion.ts"
import type { IndexStore } from "./IndexStore.ts"
import type { Reading } from "./Tally.ts"
import { isEachOfTitle } from "./Positions.ts"
import type { Scratch } from "./Scratch.ts"

/** So many of the best notes are looked at. */
export const TITLED_NOTES = 50

/** Those of the notes whose titles are the words of the query, in any order, and nothing else that says something. */
export function* withWholeTitle(
  store: IndexStore,
  readings: ReadonlyArray<Reading>,
  notes: ReadonlyArray<number>,
  scratch: Scratch,
  budget: Budget
): Sliced<Array<number>> {
  const found = readings.flatMap((reading, index) => (reading.found > 0 ? [index] : []))
  /** By term its clause, plus one. */
  const clauses = scratch.termsOf(store.vocabulary.size)
  const mark = (isMarked: boolean) => {
    for (const [index, { expanded }] of readings.entries()) {
      for (const { kind, term } of expanded) if (kind <= Kind.form) clauses[term] = isMarked ? index + 1 : 0
    }
  }
  mark(true)
  const titled: Array<number> = []
  for (const note of notes) {
    let seen = 0
    const isWhole = isEachOfTitle(store.positions.of(note), (term) => {
      const clause = clauses[term]!
      if (clause > 0) seen |= 1 << (clause - 1)
      return clause > 0 || store.vocabulary.functionMaskOf(term) > 0
    })
    if (isWhole && found.length > 0 && found.every((index) => (seen & (1 << index)) > 0)) titled.push(note)
  }
  mark(false)
  if (budget.spend(notes.length * 2)) yield
  return titled
}
