import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The notebooks that an API key reaches; null for everything (contract 4, Limited credentials). */
export const limitedKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("ALTER TABLE api_keys ADD COLUMN notebooks json")
})
