import { describe, expect, it } from "vitest"
import { type Event, events, next, type Phase, phases } from "../../../services/search/IndexPhase.ts"
import { stateTable } from "../../support/StateTable.ts"

describe("the phases of the index of a workspace", () => {
  const table = stateTable("index")

  it("are those of the table in the architecture", () => {
    expect([table.states, table.events]).toEqual([phases, events])
  })

  it.each(table.cells)("$state, $event: $next", ({ event, next: expected, state }) => {
    expect(next(state as Phase, event as Event)).toBe(expected)
  })

  it("nothing opens an index again that was closed, and its files stay open until nothing uses it", () => {
    for (const phase of phases) {
      const closed = next(phase, "close")
      expect(closed).toBe(phase === "closed" ? "closed" : "closing")
      for (const event of events) expect(next(closed, event)).toBe(event === "leave" ? "closed" : closed)
    }
  })
})
