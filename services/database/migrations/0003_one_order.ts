import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * One index on the order of a workspace's records, that by type and life: beside a second one, on the order of all, the
 * planner took that and went through what a pull does not return. That no two records share a seq follows from `changes`,
 * from whose rows theirs are taken.
 */
export const oneOrder = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("ALTER TABLE records DROP CONSTRAINT records_workspace_id_seq_key")
})
