import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The trash in the order of its list: pinned notes first, as in every list of notes. */
export const trashLists = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(
    `CREATE INDEX notes_trash_list ON notes (workspace_id, pinned, coalesce(deleted_at, ''), id) WHERE deleted_at IS NOT NULL`
  )
})
