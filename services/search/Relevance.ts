import type { Occurrence } from "./Postings.ts"

/** BM25F: how fast repetition stops to count, how much length counts, what a title or tag weighs against a body. */
const SATURATION = 1.6
const LENGTH_WEIGHT = 0.6
const FIELD_WEIGHT = 3
/** With this a title or a tag alone comes to 1, which no body reaches. Larger ones cost relevance in longer queries. */
const FIELD_BONUS = SATURATION / (SATURATION + FIELD_WEIGHT)

/** What no impact reaches. */
export const MAX_IMPACT = 1 + FIELD_BONUS

/** How much a term tells of a note; `relativeLength` is that of its body, 1 for the average. Above 0. */
export const impactOf = ({ title, tags, body }: Occurrence, relativeLength: number): number => {
  const frequency =
    body / (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * relativeLength) + (title ? FIELD_WEIGHT : 0) + (tags ? FIELD_WEIGHT : 0)
  return (title || tags ? FIELD_BONUS : 0) + frequency / (SATURATION + frequency)
}

/** How much a clause tells that `found` of `size` notes match: the rarer, the more. Above 0. */
export const weightOf = (found: number, size: number): number => Math.log(1 + (size - found + 0.5) / (found + 0.5))
