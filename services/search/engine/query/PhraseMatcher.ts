import type { Budget, Sliced } from "../../../concurrency/Budget.ts"
import type { IndexStore } from "../index/IndexStore.ts"
import { State } from "../index/IndexedNote.ts"
import { COUNTS, FIELDS, type PostingList } from "../index/PostingList.ts"
import type { Sequence } from "./Clauses.ts"
import type { ScoreBuffers } from "./ScoreBuffers.ts"
import { STEPS } from "./Scorer.ts"
import { eachOccurrence, fieldBit, RowWriter } from "../index/TokenRows.ts"
import { Sort } from "../index/Vocabulary.ts"

/** Steps per byte of a row. */
export const ROW_BYTE = 0.02

/** Called with a note, the frequency in its body, and the fields of the match: bits as in `FIELDS`. */
export type VisitNote = (note: number, inBody: number, fields: number) => void

/** The terms of a sequence that some note has. */
export const numbersOf = ({ vocabulary }: IndexStore, { terms }: Sequence): ReadonlyArray<number> =>
  terms.flatMap(({ term }) => vocabulary.numberOf(term) ?? [])

const rowOf = (terms: Sequence["terms"], numbers: ReadonlyArray<number | undefined>): Buffer => {
  const writer = new RowWriter()
  for (const [at, { link }] of terms.entries()) {
    if (link === "gap") writer.gap()
    writer.term(numbers[at]!)
  }
  return writer.take()
}

/** A sequence as a part of a row. Undefined if some of its terms are in no note. */
export const phraseOf = ({ vocabulary }: IndexStore, { terms }: Sequence): Buffer | undefined => {
  const numbers = terms.map(({ term }) => vocabulary.numberOf(term))
  return numbers.includes(undefined) ? undefined : rowOf(terms, numbers)
}

/** Whether a row contains a phrase. */
export const hasPhrase = (row: Buffer, phrase: Buffer): boolean => {
  let isThere = false
  eachOccurrence(row, phrase, () => (isThere = true))
  return isThere
}

/** The notes with all of some terms, each with the slot of the rarest term. Valid until the next call. */
export function* notesWithAll(
  { postings, vocabulary }: IndexStore,
  terms: ReadonlyArray<number>,
  { common, list, marks }: ScoreBuffers,
  budget: Budget
): Sliced<PostingList> {
  const [rarest, ...others] = [...new Set(terms)].sort((a, b) => vocabulary.notesOf(a) - vocabulary.notesOf(b) || a - b)
  common.count = 0
  if (rarest === undefined) return common
  postings.read(rarest, common)
  if (budget.spend(common.count * STEPS.posting)) yield
  for (const term of others) {
    if (common.count === 0) break
    postings.read(term, list)
    for (let i = 0; i < list.count; i++) marks[list.notes[i]!] = 1
    let count = 0
    for (let i = 0; i < common.count; i++) {
      if (marks[common.notes[i]!] !== 1) continue
      common.notes[count] = common.notes[i]!
      common.slots[count++] = common.slots[i]!
    }
    common.count = count
    for (let i = 0; i < list.count; i++) marks[list.notes[i]!] = 0
    if (budget.spend(list.count * STEPS.posting)) yield
  }
  return common
}

/** Visits the notes with a sequence, unless more than `most` notes have its rarest part. */
export function* eachWithSequence(
  store: IndexStore,
  { terms }: Sequence,
  most: number,
  scratch: ScoreBuffers,
  budget: Budget,
  visit: VisitNote
): Sliced<void> {
  const { entries, positions, vocabulary } = store
  const numbers = terms.map(({ term }) => vocabulary.numberOf(term))
  // Adjacent characters are looked up as pairs, which are in fewer notes.
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
  const phrase = rowOf(terms, numbers)
  const { count, notes, slots } = yield* notesWithAll(store, known, scratch, budget)
  for (let i = 0; i < count; i++) {
    const note = notes[i]!
    const slot = slots[i]!
    if (entries.columns.states[note] === State.none) continue
    if (known.length === 1) {
      // The posting of a single term or pair is sufficient.
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
