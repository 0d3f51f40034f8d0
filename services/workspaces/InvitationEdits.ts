import { Effect } from "effect"
import { type Condition, Conflict, Expired, NotFound } from "../Errors.ts"
import type { SecurityEvent } from "../EventTypes.ts"
import type { Role } from "../Principal.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { type Invitation, mayInvite } from "./Invitation.ts"
import { mayOwnAnother } from "./RoleChecks.ts"
import { type InvitationRow, invitations, members } from "./WorkspaceTables.ts"

/** Operations on invitations that were sent, in a locked draft of their workspace. */

export const missing = NotFound.of("invitation")
export const expired = new Expired({ code: "invitation_expired", detail: "The invitation has expired" })
const otherAddress = new Conflict({
  code: "invalid_state",
  detail: "The invitation is for another e-mail address"
})

const statusOf = ({ accepted_at, expires_at }: InvitationRow, now: string) =>
  accepted_at !== null ? "accepted" : expires_at > now ? "pending" : "expired"

export const shown = (row: InvitationRow, now: string): Invitation => ({
  id: row.id,
  email: row.email,
  role: row.role,
  status: statusOf(row, now),
  expires_at: row.expires_at,
  created_at: row.created_at,
  invited_by: row.invited_by
})

export const log = (
  draft: LockedDraft,
  { email, expires_at, id, role }: InvitationRow,
  type: SecurityEvent,
  more: object = {}
) =>
  AuditTrail.log(draft, { type, resource: "invitation", resource_id: id, data: { email, role, expires_at, ...more } })

export const expected = Effect.fnUntraced(function* (
  draft: LockedDraft,
  id: string,
  condition?: Condition<Invitation>
) {
  const row = yield* draft.get(invitations, id)
  if (row === undefined) return yield* missing
  if (condition !== undefined) yield* condition(shown(row, draft.now))
  return row
})

/** Makes the user a member. The role of an existing member does not change. */
const join = Effect.fnUntraced(function* (
  draft: LockedDraft,
  { email, role }: InvitationRow,
  user_id: string,
  ownedWorkspaces: number
) {
  const known = yield* draft.runSql("SELECT id FROM members WHERE workspace_id = $1 AND user_id = $2", [
    draft.workspace_id,
    user_id
  ])
  if (known.length > 0) return
  if (role === "owner") yield* mayOwnAnother(draft, user_id, ownedWorkspaces)
  const id = draft.newId("mb")
  draft.add(members, { id, user_id, role, created_at: draft.now })
  const data = { user_id, email, role }
  AuditTrail.log(draft, { type: "member.added", resource: "member", resource_id: id, data })
})

/**
 * Makes the user a member. The invitation must be for their address. A second acceptance by the same user returns the
 * same. `inviter_role` is null if the inviter has left.
 */
export const accept = Effect.fnUntraced(function* (
  draft: LockedDraft,
  id: string,
  user_id: string,
  inviter_role: Role | null,
  ownedWorkspaces: number
) {
  const row = yield* draft.get(invitations, id)
  if (row === undefined) return yield* missing
  if (row.accepted_at !== null) return row.accepted_by === user_id ? shown(row, draft.now) : yield* missing
  const own = yield* draft.runSql("SELECT id FROM users WHERE id = $1 AND email_key = $2", [user_id, row.email_key])
  if (own.length === 0) return yield* otherAddress
  if (!mayInvite(inviter_role, row.role)) return yield* missing
  if (row.expires_at <= draft.now) return yield* expired
  const accepted = { ...row, open: false, accepted_at: draft.now, accepted_by: user_id }
  draft.put(invitations, accepted)
  log(draft, accepted, "invitation.accepted", { user_id })
  yield* join(draft, accepted, user_id, ownedWorkspaces)
  if (row.is_mailed) {
    yield* draft.runSql("UPDATE users SET email_proven = true WHERE id = $1 AND email_key = $2", [
      user_id,
      row.email_key
    ])
  }
  return shown(accepted, draft.now)
})
