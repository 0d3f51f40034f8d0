import type { Segment } from "./Segment.ts"

/** Number of segments of similar size that are merged, and the factor up to which sizes are similar. */
const MERGED = 4
const TIER = 4
/** A segment is packed again when this share of its notes, and at least this number, is removed. */
const REMOVED_SHARE = 0.3
const MIN_REMOVED = 500
/** Maximum bytes of a segment: offsets in it have 32 bits. */
const MAX_SEGMENT = 4_000_000_000

/** Returns the segments that should be merged into one; undefined if none should. */
export const mergeableOf = (segments: ReadonlyArray<Segment | undefined>): ReadonlyArray<Segment> | undefined => {
  const tiers = new Map<number, Array<Segment>>()
  for (const segment of segments) {
    if (segment === undefined) continue
    const removed = segment.removed.length
    if (removed >= segment.notes || (removed >= MIN_REMOVED && removed >= segment.notes * REMOVED_SHARE)) {
      return [segment]
    }
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
