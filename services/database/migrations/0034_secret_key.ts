import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The fingerprint of the SECRET_KEY that seals what this database holds: one row. */
export const secretKey = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`CREATE TABLE secret_key (
    id int PRIMARY KEY CHECK (id = 1),
    fingerprint text NOT NULL
  )`)
})
