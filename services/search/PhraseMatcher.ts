import type { Budget, Sliced } from "../concurrency/Budget.ts"
import { State } from "./NoteTable.ts"
import type { IndexStore } from "./IndexStore.ts"
import { eachOccurrence, RowWriter } from "./TokenRows.ts"
import type { Sequence } from "./Query.ts"
import { frequencyOf } from "./Relevance.ts"
import { COUNTS, FIELDS, type PostingList } from "./PostingList.ts"
import { Sort } from "./Vocabulary.ts"

/** Steps of what is done most. */
const COST = { posting: 0.12, note: 0.3, rowByte: 0.02 } as const

/** Is called with a note, how often it has what was looked for, by its lengths, and whether in its title or tags. */
export type VisitNote = (note: number, frequency: number, isNamed: boolean) => void

/**
 * Visits the notes with a sequence, of which `most` are looked through at most. Returns how many notes have its parts, which
 * is at least as many. `average`: tokens of a body.
 */
export function* eachWithSequence(
  store: IndexStore,
  sequence: Sequence,
  most: number,
  average: number,
  list: PostingList,
  budget: Budget,
  visit: VisitNote
): Sliced<number> {
  const { entries, positions, postings, vocabulary } = store
  const writer = new RowWriter()
  const keys: Array<number> = []
  for (const [index, { link, term }] of sequence.terms.entries()) {
    const number = vocabulary.numberOf(term)
    if (number === undefined) {
      writer.take()
      return 0
    }
    if (link === "gap") writer.gap()
    writer.term(number)
    const previous = sequence.terms[index - 1]
    if (link === "glued" && previous !== undefined) {
      const pair = vocabulary.numberOf(previous.term + term, Sort.pair)
      if (pair === undefined) {
        writer.take()
        return 0
      }
      keys.push(pair)
    } else if (sequence.terms[index + 1]?.link !== "glued") keys.push(number)
  }
  const phrase = Buffer.from(writer.take())
  const [rarest, ...others] = [...new Set(keys)].sort((a, b) => vocabulary.notesOf(a) - vocabulary.notesOf(b) || a - b)
  if (rarest === undefined) return 0
  postings.read(rarest, list)
  const slots = new Map<number, number>()
  for (let i = 0; i < list.count; i++) slots.set(list.notes[i]!, list.slots[i]!)
  if (budget.spend(list.count * COST.posting)) yield
  for (const other of others) {
    postings.read(other, list)
    const both = new Map<number, number>()
    for (let i = 0; i < list.count; i++) {
      const slot = slots.get(list.notes[i]!)
      if (slot !== undefined) both.set(list.notes[i]!, slot)
    }
    slots.clear()
    for (const [note, slot] of both) slots.set(note, slot)
    if (budget.spend(list.count * COST.posting)) yield
  }
  const isPosting = keys.length === 1 && (sequence.terms.length === 1 || sequence.terms[1]?.link === "glued")
  let found = 0
  let looks = 0
  for (const [note, slot] of slots) {
    if (entries.columns.states[note] === State.none) continue
    const length = entries.columns.lengths[note]!
    const tags = entries.tagsOf(note).length
    found++
    if (isPosting && sequence.terms.length <= 2) {
      const fields = FIELDS[slot]!
      const frequency = frequencyOf(COUNTS[slot]!, fields, length / average, entries.columns.titleLengths[note]!)
      visit(note, frequency, (fields & 3) > 0)
      if (budget.spend(COST.note)) yield
      continue
    }
    if (++looks > most) break
    const row = positions.of(note)
    let fields = 0
    let inBody = 0
    eachOccurrence(row, phrase, (field) => {
      if (field === 0) fields |= 1
      else if (field <= tags) fields |= 2
      else if (field === tags + 1) inBody++
    })
    if (fields + inBody > 0) {
      const frequency = frequencyOf(Math.min(inBody, 30), fields, length / average, entries.columns.titleLengths[note]!)
      visit(note, frequency, fields > 0)
    }
    if (budget.spend(COST.note + row.length * COST.rowByte)) yield
  }
  return found
}
