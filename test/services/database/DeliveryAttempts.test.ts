import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect, it } from "vitest"
import { Database } from "../../../services/database/Database.ts"
import { deliveryAttempts } from "../../../services/database/migrations/0028_delivery_attempts.ts"
import { erasedBodies } from "../../../services/database/migrations/0036_erased_bodies.ts"
import { useApp } from "../../support/useApp.ts"

const { app, given } = useApp()

it("turns deliveries of the previous version into attempts, and a waiting delivery into the next attempt", async () => {
  const hook = await given("POST", "/webhooks", { url: "https://hooks.example/x", events: ["tag.*"], active: false })
  const old = (id: string, status: string, attempt: number, next: string | null, code: number | null) =>
    [`dl_${id.padEnd(16, "0")}`, `ev_${id.padEnd(22, "0")}`, status, attempt, next, code] as const
  const soon = "2026-03-02T00:00:00.000Z"
  const rows = [
    old("done", "succeeded", 2, null, 200),
    old("waits", "pending", 3, soon, 500),
    old("untried", "pending", 0, soon, null),
    old("cut", "pending", 0, null, null)
  ]
  await app.run(
    Effect.flatMap(Database, ({ write }) =>
      write.withTransaction(
        Effect.gen(function* () {
          yield* write.unsafe("DROP INDEX webhook_deliveries_attempts")
          for (const [id, event, status, attempt, next, code] of rows) {
            yield* write.unsafe(
              `INSERT INTO webhook_deliveries (workspace_id, id, webhook_id, event_id, event_type, resource_id, status,
                attempt, status_code, next_attempt_at, created_at, body)
              VALUES ($1, $2, $3, $4, 'tag.created', 'tg_1', $5, $6::int, $7::int, $8, '2026-03-01T00:00:00.000Z', '{}')`,
              [app.workspace_id, id, hook.id, event, status, String(attempt), code === null ? null : String(code), next]
            )
          }
          yield* Effect.provideService(deliveryAttempts, SqlClient.SqlClient, write)
        })
      )
    )
  )
  const { data } = await given("GET", `/webhooks/${hook.id}/deliveries?limit=100`)
  const shown = data.map((each: any) => [
    each.event_id.slice(3).replace(/0+$/, ""),
    each.attempt,
    each.status,
    each.status_code,
    each.next_attempt_at
  ])
  expect(shown.toSorted()).toEqual([
    ["cut", 1, "failed", null, null],
    ["done", 2, "succeeded", 200, null],
    ["untried", 1, "pending", null, soon],
    ["waits", 3, "failed", 500, null],
    ["waits", 4, "pending", null, soon]
  ])
  expect(new Set(data.map(({ id }: any) => id)).size).toBe(5)
})

it("replaces bodies that were erased completely with those of their events, without the record", async () => {
  const hook = await given("POST", "/webhooks", { url: "https://hooks.example/y", events: ["tag.*"], active: false })
  const tag = await given("POST", "/tags", { name: "erased" })
  await app.run(
    Effect.flatMap(Database, ({ write }) =>
      write.withTransaction(
        Effect.gen(function* () {
          yield* write.unsafe("ALTER TABLE webhook_deliveries ALTER COLUMN body DROP NOT NULL")
          for (const each of ["body(text)", "response(json)"]) yield* write.unsafe(`DROP FUNCTION erased_${each}`)
          const insert = (from: string) =>
            write.unsafe(
              `INSERT INTO webhook_deliveries (workspace_id, id, webhook_id, event_id, event_type, resource_id, status,
                attempt, created_at, request, response)
              SELECT $1, 'dl_' || ${from}, $2, ${from}, 'tag.created', $3, 'failed', 1, '2026-03-01T00:00:00.000Z',
                '{"url":"https://hooks.example/y","headers":{}}',
                '{"headers":{},"body":"erased"}'
              FROM (SELECT max(id) AS id FROM changes WHERE workspace_id = $1 AND resource_id = $3) c`,
              [app.workspace_id, hook.id, tag.id]
            )
          yield* insert("c.id")
          yield* insert("'ev_of-no-event'")
          yield* Effect.provideService(erasedBodies, SqlClient.SqlClient, write)
        })
      )
    )
  )
  const event = (await given("GET", `/events?filter=${encodeURIComponent(`resource_id=${tag.id}`)}`)).data[0]
  const { data } = await given("GET", `/webhooks/${hook.id}/deliveries`)
  expect(data).toHaveLength(1)
  expect(data[0].response).toEqual({ headers: {}, body: null })
  expect(JSON.parse(data[0].request.body)).toEqual({
    type: "tag.created",
    timestamp: event.occurred_at,
    data: {
      id: event.id,
      workspace_id: app.workspace_id,
      resource_type: "tag",
      resource_id: tag.id,
      actor_id: event.actor_id,
      resource: null
    }
  })
})
