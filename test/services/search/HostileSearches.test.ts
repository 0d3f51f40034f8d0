import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { highlight, ids, indexOf, note } from "../../support/IndexedNotes.ts"
import { processorSeconds } from "../../support/processorSeconds.ts"

describe("hostile input", () => {
  it("finds words and ids that are names of object properties", () => {
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty"]
    const index = indexOf(...names.map((name) => note(name, { body: `${name} body`, tags: [name] })))
    for (const name of ["constructor", "toString", "hasOwnProperty"]) expect(ids(index, name)[0]).toBe(name)
    expect(ids(index, "proto")).toEqual(["__proto__"])
    expect(ids(index, "tag:__proto__")).toEqual(["__proto__"])
  })

  it("processes any query with little work and without an error", async () => {
    const index = indexOf(note("n", { title: "alpha", body: "beta ".repeat(100) }))
    const hostile = [
      "-".repeat(100_000),
      '"'.repeat(100_000),
      "a ".repeat(50_000),
      "tag:".repeat(20_000),
      'tag:"'.repeat(20_000),
      "\ud800",
      "\udc00\ud800 alpha",
      "\u0000",
      "🔥".repeat(10_000),
      "検".repeat(10_000),
      "a".repeat(100_000),
      "\u0301".repeat(50_000),
      "-alpha ".repeat(10_000),
      "(.*)+$",
      "%_\\"
    ]
    for (const query of hostile) {
      const { answer, seconds } = await processorSeconds(() => {
        const matches = index.search({ query })
        index.suggest(query, 10)
        highlight({ title: "alpha", body: "beta", tags: [] }, query)
        return matches
      })
      expect(answer.length).toBeLessThanOrEqual(1)
      expect(seconds).toBeLessThan(1)
    }
  })

  it("accepts any text as note and query", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (body, query) => {
        const index = indexOf(note("n", { body }))
        index.search({ query })
        for (const { matches } of highlight({ title: "", body, tags: [] }, query).highlights) {
          for (const { start, length } of matches)
            expect(start >= 0 && length > 0 && start + length <= body.length).toBe(true)
        }
        index.remove("n")
        expect(index.size).toBe(0)
      })
    )
  })
})
