import type { Budget } from "../concurrency/Budget.ts"
import type { Forms } from "./Forms.ts"
import type { IndexStore } from "./IndexStore.ts"
import type { Language } from "./Languages.ts"
import { Positions, renumbered, RowWriter } from "./Positions.ts"
import { PostingList } from "./PostingList.ts"

/** Steps of a byte of a row that is written anew. */
const ROW_BYTE = 0.1

/** What an index holds without what is dead, under new numbers, beside the old, which stays as it is. */
export function* compacting(store: IndexStore, budget: Budget) {
  const { entries, positions, vocabulary } = store
  const { numbers, vocabulary: compacted } = vocabulary.compacted()
  if (budget.spend(vocabulary.size)) yield
  const notes = new Int32Array(entries.capacity).fill(-1)
  const rows = new Positions()
  const writer = new RowWriter()
  let next = 0
  for (let note = 0; note < notes.length; note++) {
    if (entries.at(note) === undefined) continue
    notes[note] = next
    const row = renumbered(positions.of(note), numbers, writer)
    rows.set(next++, row)
    if (budget.spend(row.length * ROW_BYTE)) yield
  }
  const postings = yield* store.postings.sealed.renumbering(numbers, notes, new PostingList(), budget)
  const languagesOf = new Int32Array(Math.max(1024, compacted.size))
  const before = store.languagesOf
  for (const [term, number] of numbers.entries()) if (number >= 0) languagesOf[number] = before[term]!
  const forms = new Map<Language, Forms>()
  for (const [language, each] of store.forms) {
    forms.set(language, each.renumbered(numbers))
    if (budget.spend(vocabulary.size)) yield
  }
  return { vocabulary: compacted, numbers, rows, postings, languagesOf, forms, next }
}
