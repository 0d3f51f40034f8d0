import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What all refresh tokens of a session begin with, hashed. Those that were used before stay until their time is over:
 * they cannot be known by it.
 */
export const refreshFamilies = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`ALTER TABLE refresh_tokens ADD COLUMN family text COLLATE "C"`)
  yield* sql.unsafe("CREATE INDEX refresh_tokens_family ON refresh_tokens (family) WHERE family IS NOT NULL")
})
