import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  linePath,
  nearestStep,
  type Steps,
  stepText,
  timeTicks,
  valueText,
  valueTicks
} from "../../../src/clients/console/ui/charts/ChartScale.ts"

const minute = 60_000
const day = 1440 * minute
const year: Steps = { from: Date.parse("2025-11-28T00:00:00.000Z"), step: day, count: 365 }

describe("the marks of the values", () => {
  it("are round, start at 0, and end at the maximum or less than a step above", () => {
    expect(valueTicks(0, 4, false)).toEqual([0, 1])
    expect(valueTicks(7, 4, true)).toEqual([0, 2, 4, 6, 8])
    expect(valueTicks(1, 4, true)).toEqual([0, 1])
    expect(valueTicks(100, 4, false)).toEqual([0, 25, 50, 75, 100])
    expect(valueTicks(9, 4, true)).toEqual([0, 5, 10])
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e15, noNaN: true }), fc.boolean(), (maximum, isWhole) => {
        const ticks = valueTicks(maximum, 4, isWhole)
        const step = ticks[1]!
        expect(ticks.length).toBeLessThanOrEqual(6)
        expect(ticks.at(-1)).toBeGreaterThanOrEqual(maximum * (1 - 1e-6))
        expect(ticks.at(-1)! - step).toBeLessThan(maximum)
        expect(Number(step.toPrecision(2))).toBeCloseTo(step, 10)
        if (isWhole) expect(Number.isInteger(step)).toBe(true)
      })
    )
  })
})

describe("the marks of the times", () => {
  it("are the beginnings of months in a year, and fewer of them where there is less space", () => {
    const texts = (most: number) => timeTicks(year, most).map(({ text }) => text)
    expect(texts(12)).toHaveLength(12)
    expect(timeTicks(year, 12)[0]).toEqual({ index: 3, text: "Dec" })
    expect(texts(4)).toHaveLength(4)
    expect(texts(0)).toEqual([])
  })

  it("are at most as many as fit, in the order of time, and each within the chart", () => {
    const any = fc.record({
      from: fc.integer({ min: 0, max: 4e7 }).map((minutes) => minutes * minute),
      step: fc.constantFrom(minute, 5 * minute, 180 * minute, day),
      count: fc.integer({ min: 1, max: 365 })
    })
    fc.assert(
      fc.property(any, fc.integer({ min: 2, max: 12 }), (steps, most) => {
        const indexes = timeTicks(steps, most).map(({ index }) => index)
        expect(indexes.length).toBeLessThanOrEqual(most)
        expect(indexes).toEqual([...new Set(indexes)].toSorted((one, other) => one - other))
        for (const index of indexes) expect(index < steps.count && index > 0).toBe(true)
      })
    )
  })
})

describe("texts", () => {
  it("of values have the unit of bytes and of time", () => {
    expect(valueText(1_340_000, "bytes")).toBe("1.3 MB")
    expect(["0.0042", "0.25", "1.26", "90", "3000", "90000"].map((each) => valueText(Number(each), "seconds"))).toEqual(
      ["4.2 ms", "250 ms", "1.3 sec", "90 sec", "50 min", "25 hr"]
    )
    expect(valueText(12_345, "requests")).toBe("12.3K")
    expect(valueText(0, "seconds")).toBe("0 ms")
  })

  it("of steps of a day are days of UTC", () => {
    expect(stepText(year, 0)).toContain("28")
    expect(stepText(year, 1)).toContain("29")
  })
})

it("a line has gaps where nothing was measured, and a dot for a value between gaps", () => {
  const path = (values: ReadonlyArray<number | null>) =>
    linePath(
      values,
      (index) => index,
      (value) => value
    )
  expect(path([1, 2, null, 3, null, 4, 5])).toBe("M0.0 1.0L1.0 2.0M3.0 3.0h0M5.0 4.0L6.0 5.0")
  expect(path([null, null])).toBe("")
})

it("the nearest step is within the chart", () => {
  expect([-1, 0, 0.49, 0.51, 1, 2].map((place) => nearestStep(place, 3))).toEqual([0, 0, 1, 1, 2, 2])
  expect(nearestStep(0.7, 1)).toBe(0)
})
