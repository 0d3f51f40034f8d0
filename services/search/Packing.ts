import type { Budget, Sliced } from "../concurrency/Budget.ts"
import { PostingList } from "./PostingList.ts"
import type { RecentNote } from "./RecentNotes.ts"
import type { Segment, SegmentHead, SegmentWriter } from "./Segment.ts"
import { SLOT_BITS } from "./Occurrences.ts"

/** A segment that was written, and where in it the row of each note is. */
export interface Packed {
  readonly head: SegmentHead
  readonly numbers: Int32Array
  readonly rowsAt: Float64Array
  readonly rowLengths: Uint32Array
}

/** Steps of a byte that is written, and of a posting. */
const COST = { byte: 0.02, posting: 0.3, term: 2 } as const

/** The columns of some notes and terms, as they are at the moment. */
export type ColumnsOf = (
  notes: Int32Array,
  terms: ReadonlyArray<number>
) => Readonly<Record<string, NodeJS.ArrayBufferView>>

/** Writes notes of the memory into a segment. `terms`: the end of the numbers of terms. */
export function* packing(
  writer: SegmentWriter,
  notes: ReadonlyMap<number, RecentNote>,
  terms: number,
  columnsOf: ColumnsOf,
  budget: Budget
): Sliced<Packed> {
  const numbers = Int32Array.from(notes.keys()).sort()
  const rowsAt = new Float64Array(numbers.length)
  const ends = new Uint32Array(terms)
  for (const [place, number] of numbers.entries()) {
    const note = notes.get(number)!
    rowsAt[place] = writer.row(note.row)
    for (const term of note.terms) ends[term]!++
    if (budget.spend(note.row.length * COST.byte + note.terms.length * COST.posting)) yield
  }
  let end = 0
  for (let term = 0; term < terms; term++) {
    const count = ends[term]!
    // Where the next posting of the term goes; after the last one, where the term ends.
    ends[term] = end
    end += count
  }
  if (budget.spend(terms / 10)) yield
  const values = new Int32Array(end)
  for (const number of numbers) {
    const { slots, terms } = notes.get(number)!
    for (let i = 0; i < terms.length; i++) values[ends[terms[i]!]!++] = (number << SLOT_BITS) | slots[i]!
    if (budget.spend(terms.length * COST.posting)) yield
  }
  writer.beginLists()
  for (let term = 0, from = 0; term < terms; term++) {
    const until = ends[term]!
    if (until === from) continue
    writer.list(term, values.subarray(from, until))
    if (budget.spend(COST.term + (until - from) * COST.posting)) yield
    from = until
  }
  return finished(writer, numbers, rowsAt, columnsOf)
}

/** Writes the notes of several segments that have `isKept` into one. */
export function* merging(
  writer: SegmentWriter,
  segments: ReadonlyArray<Segment>,
  isKept: Uint8Array,
  columnsOf: ColumnsOf,
  budget: Budget
): Sliced<Packed> {
  const kept: Array<number> = []
  const starts: Array<number> = []
  for (const segment of segments) {
    const reader = segment.sequentially()
    const lengths = new Uint32Array(segment.column("rowLengths"))
    const numbers = new Int32Array(segment.column("numbers"))
    let at = 0
    for (let i = 0; i < numbers.length; i++) {
      const length = lengths[i]!
      if (isKept[numbers[i]!] === 1) {
        kept.push(numbers[i]!)
        starts.push(writer.row(reader.read(at, length)))
        if (budget.spend(length * COST.byte + 1)) yield
      }
      at += length
    }
  }
  writer.beginLists()
  const readers = segments.map((segment) => segment.sequentially())
  const places = segments.map(() => 0)
  const list = new PostingList()
  while (true) {
    let term = Infinity
    for (const [index, { terms }] of segments.entries()) term = Math.min(term, terms[places[index]!] ?? Infinity)
    if (term === Infinity) break
    list.count = 0
    for (const [index, segment] of segments.entries()) {
      if (segment.terms[places[index]!] === term) segment.readAt(places[index]!++, list, readers[index]!)
    }
    const values = new Int32Array(list.count)
    let count = 0
    let isSorted = true
    for (let i = 0; i < list.count; i++) {
      const note = list.notes[i]!
      if (isKept[note] !== 1) continue
      values[count] = (note << SLOT_BITS) | list.slots[i]!
      if (count > 0 && values[count]! < values[count - 1]!) isSorted = false
      count++
    }
    const own = values.subarray(0, count)
    if (!isSorted) own.sort()
    if (count > 0) writer.list(term, own)
    if (budget.spend(COST.term + list.count * COST.posting * (isSorted ? 1 : 3))) yield
  }
  return finished(writer, Int32Array.from(kept), Float64Array.from(starts), columnsOf)
}

/** Writes the columns at one stretch, as the notes are then. */
const finished = (writer: SegmentWriter, numbers: Int32Array, rowsAt: Float64Array, columnsOf: ColumnsOf): Packed => {
  const head = writer.finish({ numbers, ...columnsOf(numbers, writer.terms) })
  return { head, numbers, rowsAt, rowLengths: writer.rowLengths }
}
