import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Search indexes are files of each node. */
export const searchFiles = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("DROP TABLE search_snapshots")
})
