import { describe, expect, it } from "vitest"
import { type Event, events, next, type Phase, phases } from "../../src/clients/sync/ConnectionPhase.ts"
import { stateTable } from "../support/StateTable.ts"

describe("the phases of the exchange with the server", () => {
  const table = stateTable("exchange")

  it("are those of the table in the architecture", () => {
    expect([table.states, table.events]).toEqual([phases, events])
  })

  it.each(table.cells)("$state, $event: $next", ({ event, next: expected, state }) => {
    expect(next(state as Phase, event as Event)).toBe(expected)
  })

  it("nothing is exchanged from a stop to its end, and the last call decides what follows", () => {
    for (const phase of phases) {
      const stopped = next(phase, "stop")
      expect([stopped, next(stopped, "end")]).toEqual(["stopping", "idle"])
      const started = next(stopped, "start")
      expect([started, next(started, "end"), next(started, "stop")]).toEqual(["restarting", "behind", "stopping"])
      for (const event of ["connect", "lose"] as const) {
        expect([next(stopped, event), next(started, event)]).toEqual([stopped, started])
      }
    }
  })
})
