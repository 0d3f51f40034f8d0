import { SLOTS } from "./Slots.ts"

/** BM25F: how fast repetition stops to count, how much length counts, what a title or tag weighs against a body. */
const SATURATION = 1.6
const LENGTH_WEIGHT = 0.6
const FIELD_WEIGHT = 3
/** With this a title or a tag alone comes to 1, which no body reaches. Larger ones cost relevance in longer queries. */
export const FIELD_BONUS = SATURATION / (SATURATION + FIELD_WEIGHT)

/** What no impact reaches. */
export const MAX_IMPACT = 1 + FIELD_BONUS

/** What a slot adds to the frequency of a term whatever the length of the body, and what it does by that length. */
export const FIELD_FREQUENCY = Float64Array.from(
  SLOTS,
  ({ tags, title }) => ((title ? 1 : 0) + (tags ? 1 : 0)) * FIELD_WEIGHT
)
export const BODY_FREQUENCY = Float64Array.from(SLOTS, ({ body }) => body)

/** By what a frequency in a body is divided; `relativeLength` is that of the body, 1 for the average. */
export const normOf = (relativeLength: number): number => 1 - LENGTH_WEIGHT + LENGTH_WEIGHT * relativeLength

/** How much a frequency tells. Below 1. */
export const saturated = (frequency: number): number => frequency / (SATURATION + frequency)

/** How much a match tells by its frequency, and by whether it stands in title or tags. Below 1. */
export const impactOf = (frequency: number, isInField: boolean): number =>
  ((isInField ? FIELD_BONUS : 0) + saturated(frequency)) / MAX_IMPACT

/** So many times the average a body may be long, or a little less, for a posting with such a slot to tell so much. */
export const longestWith = (impact: number, slot: number): number => {
  const field = FIELD_FREQUENCY[slot]!
  const needed = impact * MAX_IMPACT - (field > 0 ? FIELD_BONUS : 0)
  if (needed >= 1) return 0
  const inBody = (SATURATION * needed) / (1 - needed) - field
  return inBody <= 0 ? Infinity : (BODY_FREQUENCY[slot]! / inBody - 1 + LENGTH_WEIGHT) / LENGTH_WEIGHT
}

/** How much a clause tells that `found` of `size` notes match: the rarer, the more. Above 0. */
export const weightOf = (found: number, size: number): number => Math.log(1 + (size - found + 0.5) / (found + 0.5))
