import { Effect } from "effect"
import { Unauthorized } from "../Errors.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import { restoreOf } from "../writer/Restores.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import type { Secrets } from "../secrets/Secrets.ts"
import * as Tokens from "../Tokens.ts"
import { refreshTokens, type SessionRow, sessions, users } from "./IdentityTables.ts"
import * as SessionTokens from "./SessionTokens.ts"

/** The exchange of a refresh token for the next pair of tokens. Each token is valid once (contract 4). */

/** Milliseconds for which a used refresh token may be sent again if its successor was not used: 60 s (contract 4). */
const replayWindow = 60_000

export const reusedToken = new Unauthorized({
  code: "token_reused",
  detail: "The refresh token was used before: its session was ended"
})
export const invalidToken = new Unauthorized({ code: "invalid_token", detail: "The refresh token is not valid" })
const expiredToken = new Unauthorized({ code: "token_expired", detail: "The refresh token has expired" })

/** What a refresh changes in a session, besides the tokens. */
const extended = ({ actor, millis, now }: LockedDraft, { created_at, user_agent }: SessionRow) => {
  const end = Date.parse(created_at) + SessionTokens.sessionLife
  const at = (life: number) => new Date(Math.min(millis + life, end)).toISOString()
  return {
    access_expires_at: at(SessionTokens.accessLife),
    access_used: false,
    ip: actor.ip,
    user_agent: actor.user_agent?.slice(0, 400).toWellFormed() ?? user_agent,
    last_active_at: now,
    expires_at: at(SessionTokens.refreshLife)
  }
}

/**
 * Exchanges a refresh token, in a locked draft of the user's personal workspace. `client_id` is that of the app; undefined
 * for a sign-in. Ends the session, and returns why, if the token was sent again too late, or was given in a part of the
 * history that a restore has ended.
 */
export const exchange = Effect.fnUntraced(function* (
  draft: LockedDraft,
  secrets: Secrets["Service"],
  token: string,
  client_id?: string
) {
  const hash = Tokens.digestOf(token)
  const held = yield* draft.get(refreshTokens, hash)
  const [relative] =
    held !== undefined
      ? [held]
      : yield* draft.runSql<{ readonly session_id: string }>(
          "SELECT session_id FROM refresh_tokens WHERE workspace_id = $1 AND family = $2 LIMIT 1",
          [draft.workspace_id, SessionTokens.provenFamilyOf(secrets, token)]
        )
  const session = relative === undefined ? undefined : yield* draft.get(sessions, relative.session_id)
  const user = session === undefined ? undefined : yield* draft.get(users, session.user_id)
  if (session === undefined || user === undefined || session.app?.client_id !== client_id) return yield* invalidToken
  draft.actor = { ...draft.actor, user_id: user.id, device_id: session.device_id }
  const successors = SessionTokens.successors(secrets, token)
  const [next] = successors
  if (held === undefined || held.used_at !== null) {
    // A token that is no longer stored was used before the previous one. An app that has not used the following tokens may
    // have lost them, and sends this one again when it has work to do, perhaps after days.
    const isRecent =
      held !== undefined &&
      (draft.millis - Date.parse(held.used_at!) <= replayWindow || (session.app !== null && !session.access_used))
    for (const each of isRecent ? successors : []) {
      const following = yield* draft.get(refreshTokens, Tokens.digest(each.refresh))
      if (following?.used_at !== null) continue
      if (session.app === null || session.access_used) return { pair: each, session, user }
      // The hour of the access token counts from now on: it was not used.
      const again = { ...session, ...extended(draft, session) }
      draft.put(sessions, again)
      draft.put(refreshTokens, { ...held!, expires_at: again.expires_at })
      draft.put(refreshTokens, { ...following, expires_at: again.expires_at })
      return { pair: each, session: again, user }
    }
    const restore = held === undefined ? yield* Effect.orDie(restoreOf(draft.sql, draft.workspace_id)) : undefined
    const why = restore !== undefined && session.last_active_at <= restore.restored_at ? "restored" : "token_reused"
    SessionTokens.end(draft, session, why)
    if (why === "token_reused") {
      AuditTrail.audit(draft, { action: "auth.token_reused", resource: "session", resource_id: session.id })
    }
    return why
  }
  if (held.expires_at <= draft.now) return yield* expiredToken
  const renewed: SessionRow = {
    ...session,
    previous_access_hash: session.access_hash,
    previous_access_expires_at: session.access_expires_at,
    access_hash: Tokens.digest(next.access),
    ...extended(draft, session)
  }
  draft.put(sessions, renewed)
  // As long as the following one: an app may send it again until then.
  draft.put(refreshTokens, { ...held, used_at: draft.now, expires_at: renewed.expires_at })
  draft.add(refreshTokens, {
    hash: Tokens.digest(next.refresh),
    session_id: session.id,
    family: SessionTokens.familyOf(token),
    used_at: null,
    expires_at: renewed.expires_at
  })
  yield* draft.runSql(
    `DELETE FROM refresh_tokens WHERE workspace_id = $1 AND session_id = $2 AND family IS NOT NULL AND used_at IS NOT NULL`,
    [draft.workspace_id, session.id]
  )
  return { pair: next, session: renewed, user }
})
