import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Whether readers of a share see single line breaks. */
export const shareBreaks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("ALTER TABLE shares ADD COLUMN breaks boolean NOT NULL DEFAULT true")
})
