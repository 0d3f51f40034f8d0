import { Effect } from "effect"
import type { WorkspaceId } from "../../Ids.ts"
import { Database } from "../../database/Database.ts"
import { ago } from "../../database/DeleteInBatches.ts"
import { Attachments } from "./Attachments.ts"

/** Milliseconds after which an attachment without bytes is removed (contract 7). */
const pendingFor = 24 * 3_600_000
const batch = 200

/** Removes attachments whose bytes have not arrived. A write removes some attachments of one workspace. */
export const endPending = Effect.gen(function* () {
  const { write: sql } = yield* Database
  const attachments = yield* Attachments
  const cutoff = yield* ago(pendingFor)
  while (true) {
    const due = yield* sql.unsafe<{ readonly workspace_id: WorkspaceId; readonly ids: ReadonlyArray<string> }>(
      `SELECT workspace_id, array_agg(id) AS ids FROM (
        SELECT workspace_id, id FROM attachments WHERE status = 'pending' AND created_at < $1
        ORDER BY created_at LIMIT ${batch}
      ) oldest GROUP BY workspace_id`,
      [cutoff]
    )
    for (const { ids, workspace_id } of due) yield* attachments.expire(workspace_id, ids, cutoff)
    if (due.reduce((sum, { ids }) => sum + ids.length, 0) < batch) return
  }
})
