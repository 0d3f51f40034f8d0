import { describe, expect, it } from "vitest"
import { atOnce, Budget, type Sliced, sliceSteps } from "../../../services/concurrency/Budget.ts"
import { best } from "../../../services/search/engine/query/Comparators.ts"
import type { IndexedNote } from "../../../services/search/engine/index/IndexedNote.ts"
import { ScoreBuffers } from "../../../services/search/engine/query/ScoreBuffers.ts"
import { Highlighter } from "../../../services/search/engine/query/Snippet.ts"
import { newIndex } from "../../support/IndexedNotes.ts"

const note = (id: string, body: string, title = ""): IndexedNote => ({
  id,
  title,
  body,
  tags: [],
  notebook_id: "inbox",
  archived: false,
  word_count: 0,
  created_at: "2026-03-01T12:00:00.000Z",
  updated_at: "2026-03-01T12:00:00.000Z"
})

/** Pseudo-random numbers, equal in each run. */
const numbers = (seed: number) => () => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32

/** Words that are all similar: none is skipped without a comparison. */
const nearWords = (count: number, next: () => number): string =>
  Array.from({ length: count }, () =>
    Array.from({ length: 9 }, () => "abcdefgh"[Math.floor(next() * 8)]).join("")
  ).join(" ")

/** Runs work in slices, and measures the work of each slice. */
const inSlices = <A>(work: Sliced<A>, budget: Budget): A => {
  while (true) {
    const { done, value } = work.next()
    budget.resume()
    if (done === true) return value
  }
}

/** Maximum steps of a slice, including the piece that exceeds its limit. */
const longest = sliceSteps + 30_000

describe("the budget of a search", () => {
  const next = numbers(7)
  const index = newIndex()
  for (let number = 0; number < 6; number++) index.add(note(`n${number}`, nearWords(20_000, next)))
  const words = nearWords(64, next)

  it("limits the comparison of many words with many terms, in short slices", () => {
    for (const limit of [100_000, 3_000_000]) {
      const budget = new Budget(limit)
      inSlices(index.searching({ query: words }, 0, 20, budget), budget)
      expect(budget.spent).toBeLessThan(limit + longest)
      expect(budget.longestSlice).toBeGreaterThan(sliceSteps / 2)
      expect(budget.longestSlice).toBeLessThan(longest)
    }
  })

  it("keeps the exact matches when it is spent", () => {
    const [first, second] = words.split(" ")
    const both = newIndex()
    both.add(note("hit", `${first} ${second}`))
    for (let number = 0; number < 3; number++) both.add(note(`n${number}`, nearWords(20_000, next)))
    const budget = new Budget(1)
    const { matches } = inSlices(both.searching({ query: `${first} ${second}` }, 0, 20, budget), budget)
    expect(matches.map(({ id }) => id)).toEqual(["hit"])
  })

  it("limits highlighting, and reads at least the beginning of each hit", () => {
    const body = nearWords(100_000, next)
    const budget = new Budget(200_000)
    const shown = note("n", `target ${body}`, "target")
    const alone = newIndex()
    alone.add(shown)
    const { matches, query } = atOnce(alone.searching({ query: `target ${words.slice(0, 200)}` }, 0, 1, new Budget()))
    const hits = Array.from({ length: 20 }, () =>
      inSlices(new Highlighter(query).highlighting(shown, matches[0]!.finds, budget), budget)
    )
    expect(budget.spent).toBeLessThan(200_000 + 20 * (10_000 + longest))
    expect(budget.longestSlice).toBeLessThan(longest)
    for (const { highlights } of hits) expect(highlights[0]).toMatchObject({ field: "title" })
  })

  it("limits completion", () => {
    const titles = newIndex()
    for (let number = 0; number < 5_000; number++) titles.add(note(`n${number}`, "", `Title ${number}`))
    const budget = new Budget(10_000)
    expect(inSlices(titles.suggesting("tit", 10, budget), budget)).toHaveLength(10)
    expect(budget.spent).toBeLessThan(10_100)
  })

  it("grows with what matches, not with the number of notes", () => {
    const costs = [100, 2_000].map((count) => {
      const index = newIndex()
      for (let number = 0; number < count; number++)
        index.add(note(`n${number}`, "meadow river", number < 10 ? `Meadow ${number}` : `Plan ${number % 10}`))
      return [
        (budget: Budget) => index.suggesting("mead", 10, budget),
        (budget: Budget) => index.searching({ query: "meadow", tags: ["missing"] }, 0, 10, budget),
        (budget: Budget) => index.searching({ query: "tag:missing" }, 0, 10, budget)
      ].map((work) => {
        const budget = new Budget()
        inSlices<unknown>(work(budget), budget)
        return budget.spent
      })
    })
    expect(costs[1]).toEqual(costs[0])
  })
})

describe("the size of an index", () => {
  it("is limited: a full index finds further notes only by its existing terms", () => {
    const maxBytes = 2_000_000
    const next = numbers(3)
    const index = newIndex(maxBytes)
    index.add(note("first", "known"))
    for (let number = 0; number < 50; number++) index.add(note(`n${number}`, nearWords(2_000, next)))
    index.add(note("last", "known unknownyet"))
    expect(index.isFull).toBe(true)
    expect(index.bytes).toBeLessThan(1.5 * maxBytes)
    expect(
      index
        .search({ query: "known" })
        .map(({ id }) => id)
        .sort()
    ).toEqual(["first", "last"])
    const phrase = { query: '"known unknownyet"' }
    expect(atOnce(index.searching(phrase, 0, 10, new Budget())).suggestion).toBe("known unknownyet")
    for (let number = 0; number < 50; number++) index.remove(`n${number}`)
    index.store.tidy()
    index.add(note("last", "known unknownyet"))
    expect(atOnce(index.searching(phrase, 0, 10, new Budget()))).toMatchObject({ suggestion: undefined, total: 1 })
  })

  it("is limited for a single note, which is indexed in slices", () => {
    const index = newIndex()
    const budget = new Budget()
    const words = nearWords(50_000, numbers(5)).split(" ")
    inSlices(index.adding(note("large", words.join(" ")), budget), budget)
    expect(budget.longestSlice).toBeLessThan(longest)
    expect(index.search({ query: words[0]! })).toHaveLength(1)
    const last = { query: `"${words.at(-1)}"` }
    expect(atOnce(index.searching(last, 0, 10, new Budget())).suggestion).toBeDefined()
    index.remove("large")
    index.store.tidy()
    expect([index.size, index.bytes < 2_000_000]).toEqual([0, true])
  })
})

it("the columns of a search take at most 30 bytes per note", () => {
  const scratch = new ScoreBuffers(100_000)
  const columns = Object.values(scratch).filter((column) => ArrayBuffer.isView(column))
  const bytes = columns.reduce((sum, { byteLength }) => sum + byteLength, 0)
  expect(bytes / 100_000).toBeLessThanOrEqual(30)
  expect(bytes / 100_000).toBeGreaterThan(10)
})

it("best returns the same items as sorting all of them", () => {
  const next = numbers(11)
  const items = Array.from({ length: 2_000 }, () => Math.floor(next() * 300))
  const order = (a: number, b: number) => b - a
  for (const count of [0, 1, 20, 499, 2_000])
    expect(best(items, count, order)).toEqual([...items].sort(order).slice(0, count))
})
