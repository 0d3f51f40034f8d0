import { Effect } from "effect"
import { Conflict, NotFound } from "../Errors.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import type { Draft } from "../writer/Draft.ts"
import { dueReverts, type RevertRow, reverts } from "./ChangeSet.ts"

/** Changes of reverts, on a draft. */

export const missing = NotFound.of("change_set")

/** Maximum number of reverts of a workspace that wait or run. */
const maxWaiting = 20

/** Adds a revert of a change set. One of the same kind that waits or runs is returned instead. */
export const request = Effect.fnUntraced(function* (
  draft: Draft,
  change_set_id: string,
  preview: boolean,
  records: number
) {
  const open = yield* draft.having(reverts, "status", "queued")
  const { credential_id = null, reach } = draft.actor
  const is_limited = reach !== undefined
  const same = open.find(
    (row) =>
      row.change_set_id === change_set_id &&
      row.preview === preview &&
      row.is_limited === is_limited &&
      (!is_limited || row.credential_id === credential_id)
  )
  if (same !== undefined) return same
  if (open.length >= maxWaiting) {
    return yield* new Conflict({
      code: "invalid_state",
      detail: `${maxWaiting} reverts of this workspace wait or run: try again when one has ended`
    })
  }
  const row: RevertRow = {
    id: draft.newId("rv"),
    change_set_id,
    preview,
    status: "queued",
    reverted_by: preview ? null : draft.newId("cs"),
    records,
    reverted: 0,
    merged: 0,
    kept: 0,
    author_id: draft.actor.user_id,
    created_at: draft.now,
    progress: "",
    credential_id,
    is_limited
  }
  draft.add(reverts, row)
  draft.add(dueReverts, { id: row.id, attempts: 0, next_at: draft.now, created_at: draft.now })
  if (!preview) {
    AuditTrail.audit(draft, {
      action: "change_set.reverted",
      resource: "change_set",
      resource_id: change_set_id,
      data: { records, reverted_by: row.reverted_by }
    })
  }
  return row
})

/** Ends a revert. Does nothing if it has ended. */
export const end = Effect.fnUntraced(function* (draft: Draft, id: string, status: RevertRow["status"]) {
  const row = yield* draft.get(reverts, id)
  if (row?.status === "queued") draft.put(reverts, { ...row, status })
})
