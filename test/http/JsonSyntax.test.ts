import * as fc from "fast-check"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { faultAt, locate } from "../../src/server/http/pipeline/JsonSyntax.ts"
import { rounds } from "../support/Slow.ts"

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const suite = join(import.meta.dirname, "../../../shared/data/badinput/JSONTestSuite")

describe("the position of a JSON syntax error", () => {
  it.each([
    ["", 0],
    ["{", 1],
    [`{"a":1,}`, 7],
    [`{"a":tru}`, 5],
    ["[1,2 3]", 5],
    ["[01]", 2],
    [`{"a" 1}`, 5],
    [`{"a":"b\nc"}`, 5],
    [`["\\x"]`, 1],
    ["[1]]", 3],
    ["nul", 0],
    [`{'a':1}`, 1]
  ])("in %j is %d", (text, place) => {
    expect(faultAt(text)).toBe(place)
  })

  it("is found exactly for texts that the parser refuses", () => {
    const slip = fc.record({
      at: fc.nat(),
      put: fc.constantFrom("", ",", "}", "]", '"', "\\", "0", "-", "e", " ", "\n", ":", "x", "\u0000")
    })
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.array(slip, { maxLength: 2 }), fc.nat(2), (json, slips, removed) => {
        let text = json
        for (const { at, put } of slips) {
          const place = at % (text.length + 1)
          text = text.slice(0, place) + put + text.slice(place + removed)
        }
        expect(faultAt(text) === undefined).toBe(isJson(text))
      }),
      { numRuns: rounds(200, 2_000) }
    )
  })

  it.skipIf(!existsSync(suite))(
    "is found exactly for texts of JSONTestSuite that the parser refuses (skipped without the suite)",
    () => {
      for (const name of readdirSync(suite)) {
        const text = new TextDecoder().decode(readFileSync(join(suite, name)))
        expect([name, faultAt(text) === undefined]).toEqual([name, isJson(text)])
      }
    }
  )
})

describe("the line and the column of a position", () => {
  it.each([
    ["", 0, 1, 1],
    ["abc", 2, 1, 3],
    ["\n", 1, 2, 1],
    ["a\n\nb", 3, 3, 1],
    ["a\nb\nc", 1, 1, 2]
  ])("in %j at %d are %d and %d", (text, place, line, column) => {
    expect(locate(text, place)).toEqual({ line, column })
  })
})
