import { expect, it } from "vitest"
import { refusal } from "../../scripts/bench/search/Baseline.ts"

const known = { cranfield: 0.4, typed: 0.9 }

it("accepts relevance whose mean is at most .005 below the baseline", () => {
  expect(refusal({ cranfield: 0.391, typed: 0.9 }, known)).toBeUndefined()
  expect(refusal({ cranfield: 0.38, typed: 0.95 }, known)).toBeUndefined()
})

it("refuses relevance whose mean is more than .005 below the baseline, and names the rows that lost", () => {
  const refused = refusal({ cranfield: 0.38, typed: 0.895 }, known)
  expect(refused).toContain("cranfield 0.400 -> 0.380, typed 0.900 -> 0.895")
})

it("compares the mean of the rows that were measured, and none that the baseline does not have", () => {
  expect(refusal({ cranfield: 0.39 }, known)).toContain("cranfield")
  expect(refusal({ rare: 0.1 }, known)).toBeUndefined()
})
