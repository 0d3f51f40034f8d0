import { Effect } from "effect"
import { type Condition, Conflict, Expired, Invalid, NotFound } from "../Errors.ts"
import type { SecurityEvent } from "../EventTypes.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import type { NewWorkspace } from "./Founding.ts"
import { type WorkspaceRow, workspaces } from "./WorkspaceTables.ts"
import type { Workspace } from "./Workspace.ts"

/**
 * What can be done to a workspace that is there, in a locked draft of it: by its members, and by the operator. Who may is
 * asked before; how one begins is in `Founding`.
 */

/** The operator can bring a deleted workspace back for so long (contract 4). */
export const restoreWindow = 30 * 24 * 3600_000

export const missing = NotFound.of("workspace")
const isPersonal = new Conflict({
  code: "invalid_state",
  detail: "A personal workspace cannot be deleted"
})

export const shown = (id: string, { created_at, name, plan, seats, slug }: WorkspaceRow): Workspace => ({
  id,
  name,
  slug,
  plan,
  seats,
  created_at
})

/** The draft's workspace, unless it is deleted. */
export const present = Effect.fnUntracedEager(function* (draft: LockedDraft) {
  const row = yield* draft.get(workspaces)
  return row === undefined || row.deleted_at !== null ? yield* missing : row
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

/** Seats are what is paid for: members may come beyond them, but no fewer are set than there are members. */
export const enoughSeats = Effect.fnUntracedEager(function* (draft: LockedDraft, row: WorkspaceRow, seats: number) {
  if (seats === row.seats) return
  const [counted] = yield* Effect.orDie(
    draft.sql.unsafe<{ readonly count: number }>("SELECT count(*)::int AS count FROM members WHERE workspace_id = $1", [
      draft.workspace_id
    ])
  )
  const { count } = counted!
  if (seats < count)
    return yield* Invalid.field("seats", "out_of_range", `must be at least ${count}, the number of members`)
})

/** Changes the workspace where it is to change, and tells of a plan by itself too. */
export const change = (draft: LockedDraft, row: WorkspaceRow, input: Partial<NewWorkspace>) => {
  const next = { ...row, ...input }
  const { name, plan, seats, slug } = row
  if (next.name === name && next.slug === slug && next.plan === plan && next.seats === seats) return row
  store(draft, next, "workspace.updated")
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

/** The draft's workspace, as the caller expects it. */
export const expected = Effect.fnUntracedEager(function* (draft: LockedDraft, condition?: Condition<Workspace>) {
  const row = yield* present(draft)
  if (condition !== undefined) yield* condition(shown(draft.workspace_id, row))
  return row
})

/** It is gone for everybody at once; a personal one stays. */
export const remove = Effect.fnUntracedEager(function* (draft: LockedDraft, row: WorkspaceRow) {
  const homes = yield* Effect.orDie(
    draft.sql.unsafe("SELECT id FROM users WHERE workspace_id = $1", [draft.workspace_id])
  )
  if (homes.length > 0) return yield* isPersonal
  store(draft, { ...row, deleted_at: draft.now }, "workspace.deleted")
})

/** The row, while it can be restored. */
export const deleted = Effect.fnUntracedEager(function* (draft: LockedDraft) {
  const row = yield* draft.get(workspaces)
  if (row === undefined) return yield* missing
  if (row.deleted_at === null) {
    return yield* new Conflict({ code: "invalid_state", detail: "The workspace is not deleted" })
  }
  if (Date.parse(row.deleted_at) < draft.millis - restoreWindow) {
    return yield* new Expired({
      code: "restore_window_expired",
      detail: "The workspace was deleted more than 30 days ago"
    })
  }
  return row
})

/** It is there again for everybody: where it has an owner still. */
export const restore = Effect.fnUntracedEager(function* (draft: LockedDraft) {
  const row = yield* deleted(draft)
  const owners = yield* Effect.orDie(
    draft.sql.unsafe("SELECT id FROM members WHERE workspace_id = $1 AND role = 'owner' LIMIT 1", [draft.workspace_id])
  )
  if (owners.length === 0) {
    return yield* new Conflict({ code: "invalid_state", detail: "The workspace has no owner any more" })
  }
  const next = { ...row, deleted_at: null }
  store(draft, next, "workspace.updated", { restored: true })
  return shown(draft.workspace_id, next)
})
