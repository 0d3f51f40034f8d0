import type { Budget, Sliced } from "../../../concurrency/Budget.ts"
import type { IndexStore } from "../index/IndexStore.ts"
import { State } from "../index/DocumentTable.ts"
import { COUNTS, FIELDS, type PostingList } from "../index/PostingList.ts"
import type { Sequence } from "./Query.ts"
import { STEPS } from "./Scorer.ts"
import { eachOccurrence, fieldBit, RowWriter } from "../index/TokenRows.ts"
import { Sort } from "../index/Vocabulary.ts"

/** Steps of a byte of a row. */
const ROW_BYTE = 0.02

/** Is called with a note, how often its body has what was looked for, and in which fields it is: bits as in `FIELDS`. */
export type VisitNote = (note: number, inBody: number, fields: number) => void

/** The terms of a sequence that some note has. */
export const numbersOf = ({ vocabulary }: IndexStore, { terms }: Sequence): ReadonlyArray<number> =>
  terms.flatMap(({ term }) => vocabulary.numberOf(term) ?? [])

/** The notes that have all of some terms, each with the slot of the rarest one. */
export function* notesWithAll(
  { postings, vocabulary }: IndexStore,
  terms: ReadonlyArray<number>,
  list: PostingList,
  budget: Budget
): Sliced<ReadonlyMap<number, number>> {
  let slots: Map<number, number> | undefined
  for (const term of [...new Set(terms)].sort((a, b) => vocabulary.notesOf(a) - vocabulary.notesOf(b) || a - b)) {
    postings.read(term, list)
    const both = new Map<number, number>()
    for (let i = 0; i < list.count; i++) {
      const note = list.notes[i]!
      if (slots === undefined) both.set(note, list.slots[i]!)
      else if (slots.has(note)) both.set(note, slots.get(note)!)
    }
    slots = both
    if (budget.spend(list.count * STEPS.posting)) yield
  }
  return slots ?? new Map()
}

/** Visits the notes with a sequence; none where more than `most` notes have its rarest part. */
export function* eachWithSequence(
  store: IndexStore,
  { terms }: Sequence,
  most: number,
  list: PostingList,
  budget: Budget,
  visit: VisitNote
): Sliced<void> {
  const { entries, positions, vocabulary } = store
  const numbers = terms.map(({ term }) => vocabulary.numberOf(term))
  // Characters that follow each other are found by their pairs, which are in fewer notes.
  const keys = terms.flatMap(({ link, term }, at) =>
    link === "glued" && at > 0
      ? [vocabulary.numberOf(terms[at - 1]!.term + term, Sort.pair)]
      : terms[at + 1]?.link === "glued"
        ? []
        : [numbers[at]]
  )
  const known = keys.filter((number) => number !== undefined)
  if (numbers.includes(undefined) || known.length < keys.length) return
  if (Math.min(...known.map((number) => vocabulary.notesOf(number))) > most) return
  const writer = new RowWriter()
  for (const [at, { link }] of terms.entries()) {
    if (link === "gap") writer.gap()
    writer.term(numbers[at]!)
  }
  const phrase = writer.take()
  for (const [note, slot] of yield* notesWithAll(store, known, list, budget)) {
    if (entries.columns.states[note] === State.none) continue
    if (known.length === 1) {
      // The posting of a single term, or of a single pair, says it all.
      visit(note, COUNTS[slot]!, FIELDS[slot]!)
      if (budget.spend(STEPS.note)) yield
      continue
    }
    const row = positions.of(note)
    const tags = entries.tagsOf(note).length
    let fields = 0
    let inBody = 0
    eachOccurrence(row, phrase, (field) => {
      const bit = fieldBit(field, tags)
      fields |= bit
      if (bit === 4) inBody++
    })
    if (fields > 0) visit(note, inBody, fields)
    if (budget.spend(STEPS.note + row.length * ROW_BYTE)) yield
  }
}
