import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Whether an endpoint is slow to respond is known to each node that works on its webhook. */
export const webhookPace = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("ALTER TABLE webhook_cursors ADD COLUMN is_slow boolean NOT NULL DEFAULT true")
})
