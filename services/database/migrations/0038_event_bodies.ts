import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // `body` null: it is made of the log when it is needed. `chars`: its length, wherever it is.
  `ALTER TABLE webhook_deliveries ADD COLUMN chars int NOT NULL DEFAULT 0, ALTER COLUMN body DROP NOT NULL`,
  `UPDATE webhook_deliveries d SET chars = length(d.body), body = CASE WHEN length(d.body) <= 2048 THEN d.body END
  FROM changes c WHERE c.workspace_id = d.workspace_id AND c.id = d.event_id`
]

/** Deliveries of an event with a large record share the one in the log and the history. */
export const eventBodies = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
