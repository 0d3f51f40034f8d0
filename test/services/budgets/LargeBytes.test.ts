import * as fc from "fast-check"
import { expect, it } from "vitest"
import { largeBytes } from "../../../services/budgets/LargeBytes.ts"

const hugePage = 2 * 1024 * 1024

it("large memory is a whole number of huge pages with glibc's own bytes, or no more than was asked for", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 32 * hugePage }), (asked) => {
      const { buffer, length } = largeBytes(asked)
      expect(buffer.byteLength).toBe(length)
      if (length === asked) return
      expect((length + 64) % hugePage).toBe(0)
      expect(length).toBeGreaterThan(asked)
      expect(length - asked).toBeLessThan(length / 4 + 1)
    }),
    { numRuns: 40 }
  )
  expect(largeBytes(10_000).length).toBe(10_000)
  expect(largeBytes(9_000_000).length).toBe(5 * hugePage - 64)
})
