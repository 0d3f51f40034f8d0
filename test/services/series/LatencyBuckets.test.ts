import fc from "fast-check"
import { expect, it } from "vitest"
import { latencyBounds, noLatencies, quantile } from "../../../services/series/LatencyBuckets.ts"

const counted = (index: number, count = 1) => noLatencies.with(index, count)

it("a quantile is interpolated in its bucket, and null without requests", () => {
  expect(quantile(noLatencies, 0.5)).toBeNull()
  expect(quantile(counted(0), 0.5)).toBe(0.0005)
  expect(quantile(counted(4, 10), 0.9)).toBeCloseTo(0.01 + 0.9 * 0.015)
  expect(quantile(counted(14), 0.5)).toBe(30)
})

it("a quantile is in the bucket of the request of its rank, and grows with its share", () => {
  const durations = fc.array(fc.double({ min: 0, max: 60, noNaN: true }), { minLength: 1, maxLength: 50 })
  fc.assert(
    fc.property(durations, fc.double({ min: 0.01, max: 1, noNaN: true }), (all, share) => {
      const bucketOf = (seconds: number) => {
        const index = latencyBounds.findIndex((bound) => seconds <= bound)
        return index < 0 ? latencyBounds.length : index
      }
      const counts = [...noLatencies]
      for (const seconds of all) counts[bucketOf(seconds)]!++
      const found = quantile(counts, share)!
      const exact = all.toSorted((one, other) => one - other)[Math.ceil(share * all.length - 1e-9) - 1]!
      const index = bucketOf(exact)
      expect(found).toBeGreaterThanOrEqual(latencyBounds[index - 1] ?? 0)
      expect(found).toBeLessThanOrEqual(latencyBounds[index] ?? 30)
      expect(quantile(counts, 1)!).toBeGreaterThanOrEqual(found)
    })
  )
})
