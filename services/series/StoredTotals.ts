import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Metric } from "effect"

const stored = Metric.gauge("sheaf_stored_bytes", {
  description: "Bytes of attachments (files) and of notes with their history (texts) in all workspaces; of the database"
})
const waiting = Metric.gauge("sheaf_webhook_deliveries_waiting", {
  description: "Deliveries of webhooks that are to be sent, of all nodes"
})

const text = `SELECT pg_database_size(current_database())::float8 AS database, h.files, h.texts, d.deliveries
  FROM (SELECT coalesce(sum(file_bytes), 0)::float8 AS files, coalesce(sum(text_bytes), 0)::float8 AS texts FROM heads) h,
    (SELECT count(*)::float8 AS deliveries FROM webhook_deliveries WHERE status = 'pending') d`

interface Row {
  readonly database: number
  readonly files: number
  readonly texts: number
  readonly deliveries: number
}

/** Updates the metrics of what is stored in all workspaces: a query that reads a row for each workspace. */
export const refresh = Effect.fnUntraced(function* (sql: PgClient) {
  for (const { database, deliveries, files, texts } of yield* sql.unsafe<Row>(text)) {
    for (const [kind, bytes] of Object.entries({ database, files, texts })) {
      yield* Metric.update(Metric.withAttributes(stored, { kind }), bytes)
    }
    yield* Metric.update(waiting, deliveries)
  }
})
