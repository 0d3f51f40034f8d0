/**
 * Upper bounds of the buckets in which durations of requests are counted, in seconds: from a response out of memory to a
 * long poll. A further bucket has the longer ones. Stored points are counted by these bounds, so they never change.
 */
export const latencyBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** The counts of no requests. */
export const noLatencies: ReadonlyArray<number> = Array.from({ length: latencyBounds.length + 1 }, () => 0)

/**
 * The duration in seconds below which a share of the requests was, interpolated in its bucket; the largest bound if it is
 * in the last bucket. Null without requests.
 */
export const quantile = (counts: ReadonlyArray<number>, share: number): number | null => {
  const rank = share * counts.reduce((sum, count) => sum + count, 0)
  if (rank === 0) return null
  let below = 0
  for (const [index, bound] of latencyBounds.entries()) {
    const count = counts[index]!
    if (below + count >= rank) {
      const lower = latencyBounds[index - 1] ?? 0
      return lower + (bound - lower) * ((rank - below) / count)
    }
    below += count
  }
  return latencyBounds.at(-1)!
}
