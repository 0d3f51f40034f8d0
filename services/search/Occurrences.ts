/** Where a term occurs in a note; `body` counts. */
export interface Occurrence {
  readonly title: boolean
  readonly tags: boolean
  readonly body: number
}

/** Counts are kept in eight steps, each with the count that it stands for: beyond a few, one more makes no difference. */
const STEPS = [0, 1, 2, 3, 4.5, 7, 13, 30]
const STEP_OF = Uint8Array.from({ length: 21 }, (_, count) =>
  [0, 1, 2, 3, 4, 6, 10, 20].findLastIndex((from) => count >= from)
)

/** The slots of a term's postings. The commonest, once in the body, is the first: an array is as long as its last slot. */
export const SLOTS: ReadonlyArray<Occurrence> = Array.from({ length: 31 }, (_, slot) => ({
  title: ((slot + 1) & 8) > 0,
  tags: ((slot + 1) & 16) > 0,
  body: STEPS[(slot + 1) & 7]!
}))

/** The fields of each slot as bits: 1 title, 2 tags, 4 body. */
export const FIELDS = Uint8Array.from(
  SLOTS,
  ({ body, tags, title }) => (title ? 1 : 0) | (tags ? 2 : 0) | (body > 0 ? 4 : 0)
)

/** Bits of a field in `slotOf`. */
export const [IN_TITLE, IN_TAGS] = [8, 16]

/** The slot of an occurrence, which must be one: fields as bits, and how often in the body. */
export const slotOf = (fields: number, body: number): number => STEP_OF[Math.min(body, 20)]! + fields - 1

/** Bits of a slot, below the number of the note or its distance from the note before. */
export const SLOT_BITS = 5
