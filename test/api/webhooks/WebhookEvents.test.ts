import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { operations } from "../../support/rights/Operations.ts"
import { HookSink, verified } from "../../support/servers/HookSink.ts"
import { Team } from "../../support/people/Team.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp({ settings: { webhookAllow: ["127.0.0.1"] } })
let sink: HookSink
beforeAll(async () => {
  sink = await HookSink.start()
})
afterAll(() => sink.stop())

describe("events of all operations", () => {
  it("are sent once each to a webhook of all events, with their actor, as in the event log", async () => {
    const team = await Team.start(app)
    const hook = await team.post("/webhooks", { url: sink.url("/all"), events: ["*"] })
    const operator = await team.operator("session")
    for (const [id, { prepare, scopes, status }] of Object.entries(operations)) {
      if (id === "streamChanges") continue
      const caller = scopes.some((scope) => scope.startsWith("admin:")) ? operator : team.owner
      const { body, headers = caller.headers, method, path } = await prepare(team, caller, true)
      const answer = await app.call(method, path, body, headers)
      expect([id, answer.status]).toEqual([id, typeof status === "number" ? status : status(caller)])
    }
    const logged = await app.sql(
      `SELECT id, type, resource, resource_id, actor_id, occurred_at FROM changes WHERE workspace_id = $1
        AND seq > (SELECT seq FROM changes WHERE workspace_id = $1 AND type = 'webhook.created' AND resource_id = $2)
        AND type <> 'ping' ORDER BY seq`,
      [team.id, hook.id]
    )
    await sink.until("all events", () => sink.on("/all").length >= logged.length)
    const came = sink.on("/all").toSorted((one, other) => one.id.localeCompare(other.id))
    expect(
      came.map(({ body: { data, timestamp, type } }) => ({
        id: data.id,
        type,
        resource: data.resource_type,
        resource_id: data.resource_id,
        actor_id: data.actor_id,
        occurred_at: timestamp
      }))
    ).toEqual(logged.toSorted((one, other) => one.id.localeCompare(other.id)))
    for (const each of came) {
      expect(verified(hook.secret, each)).toEqual(each.body)
      expect(each.body.data.workspace_id).toBe(team.id)
      const { resource, resource_id } = each.body.data
      if (resource !== null) expect(resource.id).toBe(resource_id)
    }
    expect(new Set(came.map(({ body }) => body.type)).size).toBeGreaterThan(30)
  })
})
