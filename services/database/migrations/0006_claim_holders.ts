import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The process that carries out a request under its key: the number that its `Presence` holds. */
export const claimHolders = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("ALTER TABLE idempotency_keys ADD COLUMN holder integer")
})
