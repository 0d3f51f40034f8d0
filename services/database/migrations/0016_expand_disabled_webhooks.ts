import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Finds the webhooks that the server disabled lately, for the alarm about them. */
const statement = `CREATE INDEX webhooks_disabled ON webhooks (updated_at) WHERE disabled_reason IN ('gone', 'failing')`

export const disabledWebhooks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(statement)
})
