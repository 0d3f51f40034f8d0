import { Effect } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import { Database } from "../database/Database.ts"
import { ago, deleteInBatches } from "../database/DeleteInBatches.ts"
import { deletedNotebooks } from "./notebooks/Notebook.ts"
import { Notes } from "./Notes.ts"
import { purgeAfter } from "./RestoreWindow.ts"

const batch = 200
/** Maximum number of notes that one write erases: notes can be large. */
const purgedAtOnce = 20

/** Erases notebooks and notes that can no longer be restored. A write erases some notes of one workspace. */
export const purgeTrash = Effect.gen(function* () {
  const { write: sql } = yield* Database
  const notes = yield* Notes
  const cutoff = yield* ago(purgeAfter)
  yield* deleteInBatches(sql, deletedNotebooks.name, "deleted_at < $1", cutoff)
  while (true) {
    const due = yield* sql.unsafe<{ workspace_id: WorkspaceId; ids: ReadonlyArray<string> }>(
      `SELECT workspace_id, array_agg(id) AS ids FROM (
        SELECT workspace_id, id, row_number() OVER (PARTITION BY workspace_id) AS place FROM (
          SELECT workspace_id, id FROM notes WHERE deleted_at < $1 ORDER BY deleted_at LIMIT ${batch}
        ) oldest
      ) placed GROUP BY workspace_id, place / ${purgedAtOnce}`,
      [cutoff]
    )
    let purged = 0
    for (const { ids, workspace_id } of due) purged += yield* notes.purgeTrashed(workspace_id, ids, cutoff)
    // Nothing was erased: no note is due, or the due notes have changed meanwhile.
    if (purged === 0) return
  }
})
