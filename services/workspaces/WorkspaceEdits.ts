import { Effect } from "effect"
import { type Condition, Conflict, Expired, Invalid, NotFound } from "../Errors.ts"
import type { SecurityEvent } from "../EventTypes.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import type { NewWorkspace } from "./Founding.ts"
import { type WorkspaceRow, workspaces } from "./WorkspaceTables.ts"
import type { Workspace } from "./Workspace.ts"

/**
 * Operations on an existing workspace, in a locked draft of it, for its members and the operator. Callers check the
 * rights. `Founding` creates workspaces.
 */

/** Milliseconds for which the operator can restore a deleted workspace: 30 days (contract 4). */
export const restoreWindow = 30 * 24 * 3600_000

export const missing = NotFound.of("workspace")
const isPersonal = new Conflict({
  code: "invalid_state",
  detail: "A personal workspace cannot be deleted"
})
const isPurged = new Expired({
  code: "restore_window_expired",
  detail: "The workspace was deleted without a time to restore it"
})

export const shown = (
  id: string,
  { created_at, name, plan, seats, second_factor_from, slug }: WorkspaceRow
): Workspace => ({
  id,
  name,
  slug,
  plan,
  seats,
  second_factor_from,
  created_at
})

/** Returns the draft's workspace. Fails if it is deleted. */
export const present = Effect.fnUntracedEager(function* (draft: LockedDraft) {
  const row = yield* draft.get(workspaces)
  return row === undefined || row.deleted_at !== null ? yield* missing : row
})

/** Returns the draft's workspace, which may be deleted. */
export const stored = Effect.fnUntracedEager(function* (draft: LockedDraft) {
  return (yield* draft.get(workspaces)) ?? (yield* missing)
})

const store = (draft: LockedDraft, row: WorkspaceRow, type: SecurityEvent, more: object = {}): void => {
  const { name, plan, seats, slug } = row
  draft.put(workspaces, row)
  AuditTrail.log(draft, {
    type,
    resource: "workspace",
    resource_id: draft.workspace_id,
    data: { name, slug, plan, seats, ...more }
  })
}

/** Logs that the counters of the workspace were corrected, by the operator. */
export const recounted = (draft: LockedDraft, row: WorkspaceRow): void =>
  store(draft, row, "workspace.updated", { recounted: true })

/** Refuses fewer paid seats than there are members. Members beyond the seats may join later. */
export const enoughSeats = Effect.fnUntracedEager(function* (draft: LockedDraft, row: WorkspaceRow, seats: number) {
  if (seats === row.seats) return
  const [counted] = yield* draft.runSql<{ readonly count: number }>(
    "SELECT count(*)::int AS count FROM members WHERE workspace_id = $1",
    [draft.workspace_id]
  )
  const { count } = counted!
  if (seats < count)
    return yield* Invalid.field("seats", "out_of_range", `must be at least ${count}, the number of members`)
})

/** Stores a change of the workspace, if any, and adds an audit entry for a change of the plan. */
export const change = (
  draft: LockedDraft,
  row: WorkspaceRow,
  input: Partial<NewWorkspace & Pick<WorkspaceRow, "second_factor_from">>
) => {
  const next = { ...row, ...input }
  const { name, plan, seats, second_factor_from, slug } = row
  const isSame = next.name === name && next.slug === slug && next.plan === plan && next.seats === seats
  if (isSame && next.second_factor_from === second_factor_from) return row
  const isRequirement = next.second_factor_from !== second_factor_from
  // Cached credentials have the former requirement.
  if (isRequirement) draft.changesAccess = true
  store(draft, next, "workspace.updated", isRequirement ? { second_factor_from: next.second_factor_from } : {})
  if (next.plan !== plan) {
    AuditTrail.audit(draft, {
      action: "plan.changed",
      resource: "workspace",
      resource_id: draft.workspace_id,
      data: { from: plan, to: next.plan }
    })
  }
  return next
}

/** Returns the draft's workspace if it matches the condition. */
export const expected = Effect.fnUntracedEager(function* (draft: LockedDraft, condition?: Condition<Workspace>) {
  const row = yield* present(draft)
  if (condition !== undefined) yield* condition(shown(draft.workspace_id, row))
  return row
})

/**
 * Deletes the workspace for all members at once. A personal workspace is refused. `purge`: it is erased within the next
 * hours, and cannot be restored; this can also be set for a workspace that is deleted already.
 */
export const remove = Effect.fnUntracedEager(function* (
  draft: LockedDraft,
  row: WorkspaceRow,
  { purge = false }: { readonly purge?: boolean } = {}
) {
  const homes = yield* draft.runSql("SELECT id FROM users WHERE workspace_id = $1", [draft.workspace_id])
  if (homes.length > 0) return yield* isPersonal
  const next = { ...row, deleted_at: row.deleted_at ?? draft.now, purge_at: purge ? draft.now : row.purge_at }
  store(draft, next, "workspace.deleted", purge ? { purge } : {})
  return next
})

/** Returns the row of a deleted workspace that can be restored. */
export const deleted = Effect.fnUntracedEager(function* (draft: LockedDraft) {
  const row = yield* draft.get(workspaces)
  if (row === undefined) return yield* missing
  if (row.deleted_at === null) {
    return yield* new Conflict({ code: "invalid_state", detail: "The workspace is not deleted" })
  }
  if (row.purge_at !== null) return yield* isPurged
  if (Date.parse(row.deleted_at) < draft.millis - restoreWindow) {
    return yield* new Expired({
      code: "restore_window_expired",
      detail: "The workspace was deleted more than 30 days ago"
    })
  }
  return row
})

/** Restores the workspace for all members, if it still has an owner. */
export const restore = Effect.fnUntracedEager(function* (draft: LockedDraft) {
  const row = yield* deleted(draft)
  const owners = yield* draft.runSql("SELECT id FROM members WHERE workspace_id = $1 AND role = 'owner' LIMIT 1", [
    draft.workspace_id
  ])
  if (owners.length === 0) {
    return yield* new Conflict({ code: "invalid_state", detail: "The workspace has no owner any more" })
  }
  const next = { ...row, deleted_at: null }
  store(draft, next, "workspace.updated", { restored: true })
  return shown(draft.workspace_id, next)
})
