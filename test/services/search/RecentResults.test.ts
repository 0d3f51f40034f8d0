import { expect, it } from "vitest"
import { keyOf, RecentResults } from "../../../services/search/RecentResults.ts"
import type { FoundHits, SearchTask } from "../../../services/search/SearchThread.ts"

const task = (query: string, notebooks: ReadonlyArray<string> = []): SearchTask => ({
  kind: "search",
  scope: { workspace_id: "ws", reach: undefined },
  query,
  filters: { notebook_ids: new Set(notebooks) },
  named: undefined,
  order: undefined,
  offset: 0,
  limit: 20,
  explain: false
})
const found = (hits: string): FoundHits => ({ hits, total: 1, suggestion: undefined, partial: undefined })
const at = (seq: number, epoch = "e") => ({ epoch, seq, floor: 0 })

it("the result of a search is kept for equal searches until the log of the workspace grows or another one begins", () => {
  const recent = new RecentResults()
  recent.set(keyOf(task("a")), at(1), found("[1]"))
  expect(recent.get(keyOf(task("a")), at(1))?.hits).toBe("[1]")
  for (const other of [
    task("b"),
    task("a", ["nb"]),
    { ...task("a"), offset: 20 },
    { ...task("a"), scope: { workspace_id: "other", reach: undefined } },
    { ...task("a"), scope: { workspace_id: "ws", reach: [] } }
  ]) {
    expect(recent.get(keyOf(other), at(1))).toBeUndefined()
  }
  expect(recent.get(keyOf(task("a")), at(1, "restored"))).toBeUndefined()
  recent.set(keyOf(task("a")), at(1), found("[1]"))
  expect(recent.get(keyOf(task("a")), at(2))).toBeUndefined()
  expect(recent.get(keyOf(task("a")), at(1))).toBeUndefined()
})

it("the kept results are bounded: the least recently used make room, and a very large one is not kept", () => {
  const recent = new RecentResults()
  for (let each = 0; each < 1_200; each++) {
    recent.set(`k${each}`, at(1), found("[]"))
    expect(recent.get("k0", at(1))).toBeDefined()
  }
  expect(Array.from({ length: 1_200 }, (_, each) => recent.get(`k${each}`, at(1))).filter(Boolean)).toHaveLength(1_000)
  const large = found("x".repeat(700_000))
  for (let each = 0; each < 20; each++) recent.set(`large${each}`, at(1), large)
  expect(recent.get("large8", at(1))).toBeUndefined()
  expect(recent.get("large9", at(1))).toBe(large)
  expect(recent.get("k1199", at(1))).toBeUndefined()
  recent.set("huge", at(1), found("x".repeat(900_000)))
  expect(recent.get("huge", at(1))).toBeUndefined()
})
