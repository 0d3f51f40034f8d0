import * as fc from "fast-check"
import { expect, it } from "vitest"
import { atOnce, Budget, sliceSteps } from "../../../services/budgets/Budget.ts"
import { bytesOf } from "../../../services/budgets/TextBytes.ts"

it("bytes of texts are those of the whole, wherever a stretch ends", () => {
  // 65 536 characters are a stretch: what follows them lies around its end.
  const text = fc
    .tuple(fc.constantFrom(0, 65_530, 131_066), fc.string({ unit: "binary", maxLength: 20 }))
    .map(([length, more]) => "é".repeat(length) + more.toWellFormed())
  fc.assert(
    fc.property(fc.array(text, { maxLength: 4 }), (texts) => {
      const bytes = atOnce(bytesOf(texts, new Budget()))
      expect(Buffer.from(texts.join("")).equals(bytes)).toBe(true)
    }),
    { numRuns: 20 }
  )
})

it("a character of two units is not cut", () => {
  const text = `${"x".repeat(65_535)}😀${"x".repeat(65_534)}😀`
  expect(Buffer.from(atOnce(bytesOf([text], new Budget()))).toString()).toBe(text)
})

it("others have their turn while much is written", () => {
  const budget = new Budget()
  let slices = 1
  for (
    const work = bytesOf(["x".repeat(1_000_000), "я".repeat(3_000_000)], budget);
    work.next().done !== true;
    slices++
  )
    budget.resume()
  expect(slices).toBeGreaterThan(12)
  expect(budget.longestSlice).toBeLessThan(2 * sliceSteps)
})
