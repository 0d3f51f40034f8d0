import type { Budget, Sliced } from "../concurrency/Budget.ts"
import type { IndexStore } from "./IndexStore.ts"
import { eachTerm } from "./Positions.ts"
import { BODY_FREQUENCY, FIELD_FREQUENCY, normOf, saturated, weightOf } from "./Relevance.ts"
import type { Scratch } from "./Scratch.ts"
import { Sort } from "./Vocabulary.ts"

/** So many of the best notes tell what a sentence is about, in so many further terms. */
export const TELLING_NOTES = 8
const TELLING_TERMS = 24
/** What all further terms weigh together, of what the words of the query do. */
export const FEEDBACK_WEIGHT = 0.8
/** A term must stand in so many of them. */
const MIN_HOLDERS = 2
/** Of a long note so much is looked at. */
const MAX_ROW = 8_192

/**
 * Who types a sentence uses other words than the notes that answer it. What the best notes have in common, words of
 * the query among it, raises those of the notes found that have it too (relevance feedback); it finds no others.
 */
export function* feedback(
  store: IndexStore,
  telling: ReadonlyArray<number>,
  total: number,
  scratch: Scratch,
  budget: Budget
): Sliced<void> {
  const { entries, positions, postings, vocabulary } = store
  const shares = new Map<number, number>()
  const holders = new Map<number, number>()
  const sum = telling.reduce((all, note) => all + scratch.score[note]!, 0)
  for (const note of telling) {
    const entry = entries.at(note)!
    const share = scratch.score[note]! / sum / Math.sqrt(Math.max(20, entry.length))
    const row = positions.of(note).subarray(0, MAX_ROW)
    const counts = new Map<number, number>()
    eachTerm(row, (term) => {
      if (term >= 0) counts.set(term, (counts.get(term) ?? 0) + 1)
    })
    for (const [term, count] of counts) {
      shares.set(term, (shares.get(term) ?? 0) + share * count)
      holders.set(term, (holders.get(term) ?? 0) + 1)
    }
    if (budget.spend(row.length / 20)) yield
  }
  const size = entries.size
  const candidates: Array<{ readonly term: number; readonly weight: number; readonly text: string }> = []
  for (const [term, share] of shares) {
    const notes = vocabulary.notesOf(term)
    if (holders.get(term)! < MIN_HOLDERS || notes > size / 4) continue
    if (vocabulary.sortOf(term) !== Sort.word || vocabulary.functionMaskOf(term) !== 0 || vocabulary.lengthOf(term) < 3)
      continue
    candidates.push({ term, weight: share * weightOf(notes, size), text: "" })
  }
  candidates.sort((a, b) => b.weight - a.weight)
  const near = candidates.slice(0, 4 * TELLING_TERMS).map((each) => ({ ...each, text: vocabulary.termAt(each.term) }))
  near.sort((a, b) => b.weight - a.weight || (a.text < b.text ? -1 : 1))
  const chosen = near.slice(0, TELLING_TERMS)
  const all = chosen.reduce((weights, { weight }) => weights + weight, 0)
  const average = Math.max(1, entries.tokens / Math.max(1, size))
  const { list, matched, passes, score } = scratch
  for (const { term, weight } of chosen) {
    postings.read(term, list)
    const share = (FEEDBACK_WEIGHT * total * weight) / all
    for (let i = 0; i < list.count; i++) {
      const note = list.notes[i]!
      if (matched[note] === 0 || passes[note] !== 1) continue
      const slot = list.slots[i]!
      const frequency = BODY_FREQUENCY[slot]! / normOf(entries.at(note)!.length / average) + FIELD_FREQUENCY[slot]!
      score[note]! += share * saturated(frequency)
    }
    if (budget.spend(2 + list.count / 8)) yield
  }
}
