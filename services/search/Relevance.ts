/** BM25F: how soon repetition stops to count, how much length counts, what a title or tag weighs against a body. */
const SATURATION = 1.6
const LENGTH_WEIGHT = 0.6
const FIELD_WEIGHT = 5
/** UTF-16 code units of a usual title: a word counts more in a shorter one. */
const TITLE_LENGTH = 25
/** A match in title or tags adds this in a query of few words. In a sentence a title has some of the words by chance. */
const FIELD_BONUS = 0.25

const normOf = (relativeLength: number): number => 1 - LENGTH_WEIGHT + LENGTH_WEIGHT * relativeLength

/**
 * How often a note has a term, by its lengths. `fields`: bits as in `FIELDS`; `relativeLength`: of the body, 1 for the
 * average; `titleLength`: UTF-16 code units, needed where the term is in the title.
 */
export const frequencyOf = (inBody: number, fields: number, relativeLength: number, titleLength: number): number =>
  inBody / normOf(relativeLength) +
  ((fields & 1) > 0 ? FIELD_WEIGHT / normOf(titleLength / TITLE_LENGTH) : 0) +
  ((fields & 2) > 0 ? FIELD_WEIGHT : 0)

/** Weight of a frequency. Below 1. */
export const saturated = (frequency: number): number => frequency / (SATURATION + frequency)

/** Weight of a match in a query of few words. Below 1. */
export const impactOf = (frequency: number, isNamed: boolean): number =>
  ((isNamed ? FIELD_BONUS : 0) + saturated(frequency)) / (1 + FIELD_BONUS)

/** Weight of a clause that `found` of `size` notes match: the rarer, the higher. Above 0. */
export const weightOf = (found: number, size: number): number => Math.log(1 + (size - found + 0.5) / (found + 0.5))
