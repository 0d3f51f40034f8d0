import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Budget, type Sliced, sliceSteps } from "../../services/budgets/Budget.ts"
import { cost, fault, maxPushValues, piece, scanning } from "../../src/http/JsonBody.ts"
import { noJson, reading } from "../../src/http/JsonReader.ts"
import { findingFault } from "../../src/http/JsonSyntax.ts"

const bytesOf = (text: string): ArrayBuffer => new Uint8Array(Buffer.from(text)).buffer

/** The work to its end, slice by slice. */
const done = <A>(work: Sliced<A>, budget: Budget): { readonly value: A; readonly slices: number } => {
  for (let slices = 1; ; slices++) {
    budget.resume()
    const { done, value } = work.next()
    if (done !== true) continue
    budget.resume()
    return { value, slices }
  }
}

/** The value of a text as it is read in slices, or what is wrong with it. */
const read = (text: string, budget = new Budget()) => {
  const body = bytesOf(text)
  const long = done(scanning(body, maxPushValues, budget), budget).value
  return long instanceof Map ? done(reading(body, long, budget), budget).value : long
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return noJson
  }
}

/** The most that is done at a stretch: a slice, and what it was over with. */
const longest = sliceSteps + 2 * piece * cost.parsed + (piece / 8) * cost.value

const large = [
  ["a long string", JSON.stringify("x".repeat(3 * piece))],
  ["letters of several bytes", JSON.stringify(`x${"é語🙂".repeat(piece)}`)],
  ["escapes", `"x${"\\u0061\\n\\\\\\ud83d\\ude00".repeat(piece)}"`],
  ["backslashes", JSON.stringify(`${"\\".repeat(2 * piece)}"`)],
  ["many short members", JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`m${at}`, at])))],
  ["many short items", JSON.stringify(Array.from({ length: 50_000 }, (_, at) => (at % 2 === 0 ? [at] : `${at}]"`)))],
  ["a long name", `{"${"n".repeat(2 * piece)}":1,"a":2}`],
  ["long values among short ones", `[1,{"a":"${"x".repeat(2 * piece)}","b":[2,3],"c":"${"y".repeat(2 * piece)}"},4]`],
  ["keys that come twice", `{"a":1,"b":"${"x".repeat(2 * piece)}","a":3,"__proto__":{"c":4}}`],
  ["blanks", `${" ".repeat(2 * piece)}[${"\n".repeat(2 * piece)}] `],
  ["a deep nest", `${"[".repeat(99)}"${"x".repeat(2 * piece)}"${"]".repeat(99)}`]
] as const

describe("a large body", () => {
  it.each(large)("of %s is what the parser makes of it, in short slices", (_, text) => {
    const budget = new Budget()
    const value = read(text, budget)
    expect(JSON.stringify(value) === JSON.stringify(JSON.parse(text))).toBe(true)
    expect(budget.longestSlice).toBeLessThan(longest)
  })

  it("of a push of eleven megabytes takes many slices", () => {
    const entry = `{"type":"note","op":"upsert","data":{"body":"${"\\u0061".repeat(900_000)}"}}`
    const body = bytesOf(`{"changes":[${entry},${entry}]}`)
    const budget = new Budget()
    const scanned = done(scanning(body, maxPushValues, budget), budget)
    expect(scanned.slices).toBeGreaterThan(5)
    expect(done(reading(body, scanned.value as Map<number, number>, budget), budget).slices).toBeGreaterThan(10)
    expect(budget.longestSlice).toBeLessThan(longest)
  })

  it("with a slip anywhere is read as the parser does, or is no JSON", () => {
    const base = large[7]![1]
    const put = fc.constantFrom("", ",", "}", "]", '"', "\\", "0", "-", "e", " ", "\n", ":", "x", "\u0000", "[", "{")
    const places = [...base.matchAll(/[^xy]/g)].map(({ index }) => index)
    fc.assert(
      fc.property(fc.constantFrom(...places), put, fc.boolean(), (at, letter, isPut) => {
        const text = base.slice(0, at) + letter + base.slice(isPut ? at : at + 1)
        const [value, wanted] = [read(text), parsed(text)]
        return value === wanted || JSON.stringify(value) === JSON.stringify(wanted)
      }),
      { numRuns: 300 }
    )
  })

  it.each(["[", '{"a":', '["', "[1,", `["\\u12`])("that breaks off behind %j is no JSON, found in slices", (begin) => {
    const text = begin + " ".repeat(4 * piece)
    const budget = new Budget()
    expect(read(text, budget)).toBe(noJson)
    expect(done(findingFault(text, budget), budget).value).toBeDefined()
    expect(budget.longestSlice).toBeLessThan(longest)
  })

  it.each([
    ["nested too deep", "[".repeat(101)],
    ["of too many values", `[${"1,".repeat(maxPushValues)}1]`]
  ])("that is %s is refused, at once and in slices alike", (_, text) => {
    expect(read(text)).toEqual(fault(bytesOf(text), maxPushValues))
    expect(read(text)).toBeInstanceOf(Error)
  })
})
