import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Finds the changes of notebooks, for callers that reach some notebooks only (contract 9, Events). */
export const notebookChanges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(
    "CREATE INDEX changes_of_notebook ON changes (workspace_id, resource_id, seq) WHERE resource = 'notebook'"
  )
})
