import * as fc from "fast-check"
import { expect, it } from "vitest"
import { jsonPieces } from "../../../services/budgets/JsonPieces.ts"

it("JSON in pieces is the JSON of the whole", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.option(fc.array(fc.jsonValue()), { nil: undefined }))),
      (value) => {
        expect([...jsonPieces(value)].join("")).toBe(JSON.stringify(value))
      }
    )
  )
  expect([...jsonPieces(undefined)].join("")).toBe("null")
})

it("an array of an object comes item by item", () => {
  const items = Array.from({ length: 50 }, (_, at) => "x".repeat(at))
  expect(Math.max(...[...jsonPieces({ a: 1, items })].map(({ length }) => length))).toBeLessThan(60)
})
