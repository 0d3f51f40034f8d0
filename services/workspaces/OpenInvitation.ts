import type { Reads } from "../database/ReachedRows.ts"
import { Clock, Effect } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import type { Role } from "../Principal.ts"
import { runSql } from "../database/Database.ts"
import * as Tokens from "../Tokens.ts"
import { mayInvite } from "./Invitation.ts"
import { expired, missing } from "./InvitationEdits.ts"

/** An invitation that can be accepted, as the page behind its link shows it. */
export interface OpenInvitation {
  readonly workspace_id: WorkspaceId
  readonly id: string
  readonly email: string
  readonly email_key: string
  readonly role: Role
  readonly expires_at: string
  readonly is_mailed: boolean
  /** Names of the workspace and the inviter. */
  readonly workspace: string
  readonly inviter: string
}

export interface Standing {
  readonly accepted_at: string | null
  /** null if the inviter has left. */
  readonly inviter_role: Role | null
}

/** Invitations with the names of their workspace and inviter. */
const namedText = `SELECT i.workspace_id, i.id, i.email, i.email_key, i.role, i.expires_at, i.is_mailed, i.accepted_at,
    w.name AS workspace, coalesce(nullif(u.name, ''), u.email, 'Somebody') AS inviter,
    m.role AS inviter_role
  FROM invitations i JOIN workspaces w ON w.workspace_id = i.workspace_id AND w.deleted_at IS NULL
  LEFT JOIN users u ON u.id = i.invited_by
  LEFT JOIN members m ON m.workspace_id = i.workspace_id AND m.user_id = i.invited_by`

/** Returns the invitation of a token, in any workspace, accepted or not. */
export const byToken = Effect.fnUntraced(function* (sql: Reads, token: string) {
  if (!Tokens.isWellFormed("sfi", token)) return yield* missing
  const [found] = yield* runSql<OpenInvitation & Standing>(sql, `${namedText} WHERE token_hash = $1`, [
    Tokens.digestOf(token)
  ])
  return found ?? (yield* missing)
})

/** Returns the invitation of a token that was accepted, or still can be. */
export const held = Effect.fnUntraced(function* (sql: Reads, token: string) {
  const { accepted_at, inviter_role, ...found } = yield* byToken(sql, token)
  if (accepted_at !== null) return { ...found, is_accepted: true }
  if (!mayInvite(inviter_role, found.role)) return yield* missing
  const now = new Date(yield* Clock.currentTimeMillis).toISOString()
  return found.expires_at > now ? { ...found, is_accepted: false } : yield* expired
})
