import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // In the order of the list: without `pinned` a notebook's was looked for among all notes of the workspace.
  `CREATE INDEX notes_of_notebook ON notes (workspace_id, notebook_id, pinned, updated_at, id) WHERE deleted_at IS NULL`,
  `DROP INDEX notes_notebook_list`
]

export const notebookLists = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
