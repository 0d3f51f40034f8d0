import { describe, expect, it } from "vitest"
import { isThere, notesOf } from "../../../scripts/bench/search/Corpora.ts"
import { sheaf } from "../../../scripts/bench/search/Engines.ts"
import { firstSet, isMeant, secondSet } from "../../../scripts/bench/search/TypedQueries.ts"
import { sampled } from "../../support/Slow.ts"

const missing = isThere ? "" : " (skipped: no ../shared/data/search here, and no SEARCH_DATA)"
const sets = { first: firstSet, second: secondSet }
/** Maximum number of queries per set that may miss their note. */
const mayMiss = { first: 3, second: 3 }

describe.skipIf(missing !== "")(`queries as people type them${missing}`, () => {
  it("find the meant note among the first three hits", () => {
    const missed: Record<keyof typeof sets, Array<string>> = { first: [], second: [] }
    for (const collection of sampled(["notes-multilang", "notes14k"] as const, 1)) {
      const notes = notesOf(collection)
      const { add, ask } = sheaf()
      for (const note of notes) add(note)
      for (const set of ["first", "second"] as const) {
        for (const typed of sets[set][collection]) {
          const [query] = typed
          const found = ask(query)
            .slice(0, 3)
            .map((id) => notes[Number(id)]!)
          if (!isMeant(typed, found)) missed[set].push(`${query}: ${found.map(({ title }) => title).join(" | ")}`)
        }
      }
    }
    for (const set of ["first", "second"] as const) {
      expect(missed[set].length, `${set} set:\n${missed[set].join("\n")}`).toBeLessThanOrEqual(mayMiss[set])
    }
  })
})
