import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Workspaces take turns: the oldest mail of one is found without those of the others. */
export const mailTurns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("CREATE INDEX mails_turns ON mails (workspace_id, next_at)")
})
