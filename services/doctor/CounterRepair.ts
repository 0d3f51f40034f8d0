import { Effect } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import { type Counts, counters } from "../tables/Counters.ts"
import { OperatorActor } from "../writer/Actor.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { Writer } from "../writer/Writer.ts"
import * as WorkspaceEdits from "../workspaces/WorkspaceEdits.ts"
import { byteCounters, counted, inNotebook, usesOf, withTag } from "./CounterCheck.ts"

const countsText = `SELECT ${counters
  .map((counter) => `(${counted[counter]})::float8 AS ${counter}`)
  .join(", ")} FROM heads s WHERE s.workspace_id = $1`

const noteCount = (table: string, found: string): string => `UPDATE ${table} s SET note_count = (${found})
  WHERE s.workspace_id = $1 AND s.note_count <> (${found}) RETURNING s.id`

const usesText = `WITH found AS MATERIALIZED (
    SELECT s.workspace_id, s.sha256, (${usesOf}) AS uses FROM blobs s WHERE s.workspace_id = $1
  )
  UPDATE blobs b SET refs = f.uses, unused_since = CASE WHEN f.uses = 0 THEN $2 END, released = f.uses = 0
  FROM found f WHERE b.workspace_id = f.workspace_id AND b.sha256 = f.sha256 AND b.refs <> f.uses
  RETURNING b.sha256`

/**
 * Counts everything in a workspace again, and stores counts that were wrong, with the head locked. The change has an
 * entry in the log, so that other nodes drop what they have cached of the workspace. Changes nothing if all counts are
 * right, and never counts a deleted workspace.
 */
export const repairCounters = Effect.fnUntraced(function* (workspace_id: WorkspaceId, withBytes: boolean) {
  const writer = yield* Writer
  yield* writer.writeLocked(
    workspace_id,
    { actor: yield* OperatorActor },
    Effect.fnUntraced(function* (draft: LockedDraft) {
      const workspace = yield* WorkspaceEdits.present(draft)
      const [found] = yield* draft.runSql<Counts>(countsText, [workspace_id])
      const notebooks = yield* draft.execute(noteCount("notebooks", inNotebook), [workspace_id])
      const tags = yield* draft.execute(noteCount("tags", withTag), [workspace_id])
      const blobs = yield* draft.execute(usesText, [workspace_id, draft.now])
      const wrong = counters.filter(
        (counter) => draft.head[counter] !== found![counter] && (withBytes || !byteCounters.includes(counter))
      )
      for (const counter of wrong) draft.count(counter, found![counter] - draft.head[counter])
      if (wrong.length + notebooks.length + tags.length + blobs.length === 0) return
      WorkspaceEdits.recounted(draft, workspace)
    })
  )
})
