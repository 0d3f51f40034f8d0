import type { Budget, Sliced } from "../concurrency/Budget.ts"
import type { IndexStore } from "./IndexStore.ts"
import { eachTerm } from "./TokenRows.ts"
import { frequencyOf, saturated, weightOf } from "./Relevance.ts"
import type { ScoreBuffers } from "./ScoreBuffers.ts"
import { Sort } from "./Vocabulary.ts"

/** Number of the best notes that are read, and of those among them that say what a sentence is about, in further terms. */
export const READ_NOTES = 50
const TELLING_NOTES = 8
const TELLING_TERMS = 24
/** What all further terms weigh, as a share of the words of the query. More costs relevance in exact questions. */
export const FEEDBACK_WEIGHT = 0.1
/** A term must stand in this many of the telling notes. */
const MIN_HOLDERS = 2
/** Maximum number of bytes of a row that are read. */
const MAX_ROW = 8_192

/**
 * Relevance feedback: a sentence has other words than the notes that answer it. What the best notes have in common raises
 * those of the best that have it too. `notes`: the best first. `total`: the weight of the words of the query.
 */
export function* feedback(
  store: IndexStore,
  notes: ReadonlyArray<number>,
  total: number,
  scratch: ScoreBuffers,
  budget: Budget
): Sliced<void> {
  const { entries, positions, vocabulary } = store
  const { score } = scratch
  const telling = notes.slice(0, TELLING_NOTES)
  const sum = telling.reduce((all, note) => all + score[note]!, 0)
  const shares = new Map<number, { share: number; holders: number }>()
  for (const note of telling) {
    const share = score[note]! / sum / Math.sqrt(Math.max(20, entries.columns.lengths[note]!))
    const own = new Set<number>()
    const row = positions.of(note).subarray(0, MAX_ROW)
    eachTerm(row, (term) => {
      if (term < 0) return
      let known = shares.get(term)
      if (known === undefined) shares.set(term, (known = { share: 0, holders: 0 }))
      known.share += share
      if (own.has(term)) return
      own.add(term)
      known.holders++
    })
    if (budget.spend(row.length / 20)) yield
  }
  const { size } = entries
  const further = [...shares].flatMap(([term, { holders, share }]) => {
    const found = vocabulary.notesOf(term)
    const says =
      vocabulary.sortOf(term) === Sort.word && vocabulary.functionMaskOf(term) === 0 && vocabulary.lengthOf(term) > 2
    return holders < MIN_HOLDERS || found > size / 4 || !says ? [] : [{ term, weight: share * weightOf(found, size) }]
  })
  further.sort((a, b) => b.weight - a.weight || (vocabulary.termAt(a.term) < vocabulary.termAt(b.term) ? -1 : 1))
  const chosen = further.slice(0, TELLING_TERMS)
  const all = chosen.reduce((weights, { weight }) => weights + weight, 0)
  const average = Math.max(1, entries.tokens / Math.max(1, size))
  for (const note of notes) {
    const counts = new Map(chosen.map(({ term }) => [term, { body: 0, fields: 0 }]))
    const { tags, title } = entries.at(note)!
    let field = 0
    const row = positions.of(note).subarray(0, MAX_ROW)
    eachTerm(row, (term) => {
      if (term < 0) field++
      const count = counts.get(term)
      if (count === undefined) return
      if (field === 0) count.fields |= 1
      else if (field <= tags.length) count.fields |= 2
      else count.body++
    })
    for (const { term, weight } of chosen) {
      const { body, fields } = counts.get(term)!
      const frequency = frequencyOf(body, fields, entries.columns.lengths[note]! / average, title.length)
      score[note]! += ((FEEDBACK_WEIGHT * total * weight) / all) * saturated(frequency)
    }
    if (budget.spend(row.length / 20)) yield
  }
}
