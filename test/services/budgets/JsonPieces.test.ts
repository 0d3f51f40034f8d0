import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { atOnce, Budget, sliceSteps } from "../../../services/budgets/Budget.ts"
import { jsonBytes, jsonOf, jsonPieces } from "../../../services/budgets/JsonPieces.ts"

/** 65 536 characters are a stretch: what follows them lies around its end. */
const long = fc
  .tuple(
    fc.constantFrom("é", '"'),
    fc.constantFrom(65_530, 65_536, 131_066),
    fc.string({ unit: "binary", maxLength: 20 })
  )
  .map(([letter, length, more]) => letter.repeat(length) + more)

const value = fc.oneof(
  fc.jsonValue(),
  fc.dictionary(fc.string(), fc.option(fc.array(fc.jsonValue()), { nil: undefined })),
  fc
    .jsonValue()
    .chain((value) =>
      fc.record({ id: long, changes: fc.array(fc.record({ body: long, value: fc.constant(value) }), { maxLength: 2 }) })
    )
)

describe("JSON in pieces", () => {
  it("is the JSON of the whole, and as many bytes", () => {
    fc.assert(
      fc.property(value, (value) => {
        const whole = JSON.stringify(value)
        expect([...jsonPieces(value)].join("") === whole).toBe(true)
        expect(jsonBytes(value)).toBe(Buffer.byteLength(whole))
        expect(Buffer.from(whole).equals(atOnce(jsonOf(value, new Budget())))).toBe(true)
      })
    )
    expect([...jsonPieces(undefined)].join("")).toBe("null")
    expect([...jsonPieces({ at: [new Date(0)], no: undefined })].join("")).toBe(`{"at":["1970-01-01T00:00:00.000Z"]}`)
  })

  it("comes item by item, and of a long text in stretches", () => {
    const items = Array.from({ length: 50 }, (_, at) => "x".repeat(at))
    expect(Math.max(...[...jsonPieces({ a: 1, items })].map(({ length }) => length))).toBeLessThan(60)
    const note = { title: "t", body: `${"x".repeat(65_535)}😀${"\n".repeat(300_000)}` }
    expect(Math.max(...[...jsonPieces({ changes: [{ note }] })].map(({ length }) => length))).toBe(2 * 65_536)
  })

  it("lets others have their turn", () => {
    const budget = new Budget()
    let slices = 1
    for (
      const work = jsonOf({ texts: ["x".repeat(1_000_000), "я".repeat(3_000_000)] }, budget);
      !work.next().done;
      slices++
    )
      budget.resume()
    expect(slices).toBeGreaterThan(12)
    expect(budget.longestSlice).toBeLessThan(2 * sliceSteps)
  })
})
