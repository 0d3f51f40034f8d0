import { Effect } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"

/** Whether a user is a member of the workspace of an app, which exists. */
export const isMember = (draft: LockedDraft, user_id: string, workspace_id: WorkspaceId) =>
  Effect.map(
    draft.runSql(
      `SELECT 1 AS found FROM members m JOIN workspaces w ON w.workspace_id = m.workspace_id AND w.deleted_at IS NULL
        WHERE m.workspace_id = $1 AND m.user_id = $2`,
      [workspace_id, user_id]
    ),
    (rows) => rows.length > 0
  )
