import { Effect } from "effect"
import { Invalid } from "../Errors.ts"
import type { NotebookGrant, Reach } from "../Reach.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"

/** Checks of the notebooks that a limited credential gets (contract 4, Limited credentials), in a locked draft. */

/** Refuses notebooks that do not exist in the workspace, except those that the credential has already. */
export const checkReach = Effect.fnUntraced(function* (
  draft: LockedDraft,
  workspace_id: string,
  reach: Reach,
  before: Reach = []
) {
  const rows = yield* draft.runSql<{ readonly id: string }>(
    "SELECT id FROM notebooks WHERE workspace_id = $1 AND id = ANY($2::text[])",
    [workspace_id, reach.map(({ id }) => id)]
  )
  const known = new Set([...rows, ...before].map(({ id }) => id))
  const missing = reach.findIndex(({ id }) => !known.has(id))
  if (missing < 0) return
  return yield* Invalid.field(`notebooks.${missing}.id`, "unknown", "names no notebook", "unresolved_reference")
})

/** Each of the notebooks $2 with each notebook above it. */
const aboveText = `WITH RECURSIVE placed AS (
    SELECT id, parent_id FROM notebooks WHERE workspace_id = $1
    UNION ALL SELECT id, parent_id FROM deleted_notebooks WHERE workspace_id = $1
  ), above AS (
    SELECT id, parent_id FROM placed WHERE id = ANY($2::text[])
    UNION SELECT a.id, p.parent_id FROM above a JOIN placed p ON p.id = a.parent_id
  )
  SELECT id, parent_id FROM above WHERE parent_id IS NOT NULL`

/** Whether `after` reaches nothing that `before` does not reach, in the present tree of notebooks; null reaches all. */
export const isWithin = Effect.fnUntraced(function* (draft: LockedDraft, before: Reach | null, after: Reach | null) {
  if (before === null) return true
  if (after === null) return false
  const rows = yield* draft.runSql<{ readonly id: string; readonly parent_id: string }>(aboveText, [
    draft.workspace_id,
    after.map(({ id }) => id)
  ])
  const above = new Set(rows.map(({ id, parent_id }) => `${id} ${parent_id}`))
  const covers = (own: NotebookGrant, { access, id, include_subnotebooks }: NotebookGrant): boolean => {
    if (access === "write" && own.access === "read") return false
    if (own.include_subnotebooks) return own.id === id || above.has(`${id} ${own.id}`)
    return own.id === id && !include_subnotebooks
  }
  return after.every((grant) => before.some((own) => covers(own, grant)))
})
