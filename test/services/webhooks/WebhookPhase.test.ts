import { describe, expect, it } from "vitest"
import { type Event, events, next, type Phase, phases } from "../../../services/webhooks/WebhookPhase.ts"
import { type Config, WebhookState } from "../../../services/webhooks/WebhookState.ts"
import type { WorkspaceId } from "../../../services/Ids.ts"
import { stateTable } from "../../support/StateTable.ts"

const config: Config = {
  url: "",
  target: { refusal: undefined, origin: "", path: "" },
  signers: [],
  active: true,
  ends_at: Infinity,
  types: new Set(),
  resources: new Set()
}

describe("the phases of a webhook", () => {
  const table = stateTable("webhook")

  it("are those of the table in the architecture", () => {
    expect([table.states, table.events]).toEqual([phases, events])
  })

  it.each(table.cells)("$state, $event: $next", ({ event, next: expected, state }) => {
    expect(next(state as Phase, event as Event)).toBe(expected)
  })

  it.each(phases)(
    "a webhook that is %s starts attempts only while it is sending and held, and none once it is released",
    (phase) => {
      const hook = new WebhookState({ id: "ws" as WorkspaceId, owner: "", hooks: new Map() }, "wh", 1, false)
      hook.config = config
      hook.phase = phase
      hook.due.push({
        id: "dl",
        event_id: "ev",
        event_type: "tag.created",
        resource_id: "",
        created_at: "",
        attempt: 1,
        body: "",
        readAt: 0
      })
      expect([hook.maySend(0), hook.maySend(1)]).toEqual([phase === "sending", false])
      hook.release()
      hook.signal("changed")
      expect([hook.phase, hook.hasNext]).toEqual(["released", false])
    }
  )

  it("no event leads back from the end, and a change is never lost in a read", () => {
    const after = (...given: ReadonlyArray<Event>) => given.reduce(next, "stale" as Phase)
    for (const event of events) {
      expect(["ending", "released"]).toContain(after("end", event))
      expect(after("end", "release", event)).toBe("released")
    }
    expect(after("read", "changed", "on")).toBe("stale")
    expect(after("read", "changed", "off", "read", "on")).toBe("sending")
    expect(after("read", "on", "rest", "changed", "wake")).toBe("stale")
  })
})
