import type { Budget, Sliced } from "../../../concurrency/Budget.ts"
import { PostingList, SLOT_BITS } from "./PostingList.ts"
import type { RecentNote } from "./RecentNotes.ts"
import type { Segment, SegmentHead, SegmentWriter } from "./Segment.ts"

/** Steps per written byte, per posting, and per term. */
const COST = { byte: 0.02, posting: 0.3, term: 2 } as const

/** Number of segments of similar size that are merged, and the factor up to which sizes are similar. */
const MERGED = 4
const TIER = 4
/** A segment is packed again when this share of its notes, and at least this number, is removed. */
const REMOVED_SHARE = 0.3
const MIN_REMOVED = 500
/** A segment that has a removed note is packed again this many milliseconds after it was written. */
const MAX_AGE = 30 * 24 * 3_600_000
/** Maximum bytes of a segment: offsets in it have 32 bits. */
const MAX_SEGMENT = 4_000_000_000

/** Returns the columns of some notes and terms when the segment is finished. */
export type ColumnsOf = (
  notes: Int32Array,
  terms: ReadonlyArray<number>
) => Readonly<Record<string, NodeJS.ArrayBufferView>>

/** Writes notes in memory into a segment. `terms`: the number after the highest term. */
export function* packing(
  writer: SegmentWriter,
  notes: ReadonlyMap<number, RecentNote>,
  terms: number,
  columnsOf: ColumnsOf,
  budget: Budget
): Sliced<SegmentHead> {
  const numbers = Int32Array.from(notes.keys()).sort()
  const ends = new Uint32Array(terms)
  for (const number of numbers) {
    const note = notes.get(number)!
    writer.row(note.row)
    for (const term of note.terms) ends[term]!++
    if (budget.spend(note.row.length * COST.byte + note.terms.length * COST.posting)) yield
  }
  let end = 0
  for (let term = 0; term < terms; term++) {
    const count = ends[term]!
    // The place of the next posting of the term; after its last posting, the end of its list.
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
  return writer.finish({ numbers, ...columnsOf(numbers, writer.terms) })
}

/** Merges the notes with `isKept` of several segments into one. */
export function* merging(
  writer: SegmentWriter,
  segments: ReadonlyArray<Segment>,
  isKept: Uint8Array,
  columnsOf: ColumnsOf,
  budget: Budget
): Sliced<SegmentHead> {
  const kept: Array<number> = []
  for (const segment of segments) {
    const reader = segment.sequentially()
    const lengths = new Uint32Array(segment.column("rowLengths"))
    const numbers = new Int32Array(segment.column("numbers"))
    let at = 0
    for (let i = 0; i < numbers.length; i++) {
      const length = lengths[i]!
      if (isKept[numbers[i]!] === 1) {
        kept.push(numbers[i]!)
        writer.row(reader.read(at, length))
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
  const numbers = Int32Array.from(kept)
  return writer.finish({ numbers, ...columnsOf(numbers, writer.terms) })
}

/**
 * Returns the segments that should be merged into one; undefined if none should. The words of a removed note end with its
 * segment, so a segment has them for `MAX_AGE` at most. `now`: Unix milliseconds.
 */
export const mergeableOf = (
  segments: ReadonlyArray<Segment | undefined>,
  now = Date.now()
): ReadonlyArray<Segment> | undefined => {
  const tiers = new Map<number, Array<Segment>>()
  for (const segment of segments) {
    if (segment === undefined) continue
    const removed = segment.removed.length
    const isOld = removed > 0 && now - segment.head.written > MAX_AGE
    const isMostlyRemoved = removed >= MIN_REMOVED && removed >= segment.notes * REMOVED_SHARE
    if (isOld || isMostlyRemoved || removed >= segment.notes) return [segment]
    const tier = Math.floor(Math.log(segment.head.size) / Math.log(TIER))
    const own = tiers.get(tier) ?? []
    own.push(segment)
    tiers.set(tier, own)
  }
  for (const own of tiers.values()) {
    const size = own.reduce((sum, { head }) => sum + head.size, 0)
    if (own.length >= MERGED && size < MAX_SEGMENT) return own
  }
  return undefined
}
