import { grown } from "./Columns.ts"

/** Term frequencies are stored in eight steps, each with a typical frequency: above a few, one more hardly matters. */
const STEPS = [0, 1, 2, 3, 4.5, 7, 13, 30]
const STEP_OF = Uint8Array.from({ length: 21 }, (_, count) =>
  [0, 1, 2, 3, 4, 6, 10, 20].findLastIndex((from) => count >= from)
)

/** Bits of a slot, below the bits of the note number (or its distance from the previous one). */
export const SLOT_BITS = 5
export const SLOT_MASK = (1 << SLOT_BITS) - 1
/** Number of slots. The most common one, once in the body, is first: FlexSearch has arrays up to their last slot. */
export const SLOTS = 31

/** The slot of a term in a note. `fields`: `IN_TITLE` and `IN_TAGS` added, if they apply. `body`: frequency there. */
export const slotOf = (fields: number, body: number): number => STEP_OF[Math.min(body, 20)]! + fields - 1
export const [IN_TITLE, IN_TAGS] = [8, 16]

/** Frequency in the body by slot. */
export const COUNTS = Float64Array.from({ length: SLOTS }, (_, slot) => STEPS[(slot + 1) & 7]!)
/** Fields by slot, as bits: 1 title, 2 tags, 4 body. */
export const FIELDS = Uint8Array.from({ length: SLOTS }, (_, slot) => ((slot + 1) >> 3) | (COUNTS[slot]! > 0 ? 4 : 0))

/** The notes that contain a term, each with its slot (fields and frequency), in reused columns. */
export class PostingList {
  count = 0
  notes = new Int32Array(1024)
  slots = new Uint8Array(1024)

  push(note: number, slot: number): void {
    this.reserve(this.count + 1)
    this.notes[this.count] = note
    this.slots[this.count++] = slot
  }

  reserve(size: number): void {
    this.notes = grown(this.notes, size)
    this.slots = grown(this.slots, size)
  }
}
