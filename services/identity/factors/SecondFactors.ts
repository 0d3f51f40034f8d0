import { Effect } from "effect"
import { Forbidden, Unauthorized } from "../../Errors.ts"
import type { Secrets } from "../../secrets/Secrets.ts"
import * as Tokens from "../../Tokens.ts"
import * as AuditTrail from "../../writer/AuditTrail.ts"
import type { LockedDraft } from "../../writer/LockedDraft.ts"
import { type FactorRow, factors, recoveryCodes, type SecondFactor, sessions } from "../IdentityTables.ts"
import * as Totp from "./Totp.ts"

/** The second factors of a user, in locked drafts of the personal workspace. */

const wrongCode = new Unauthorized({
  code: "invalid_code",
  detail: "The code is wrong, too old, or was used before"
})

const needed = (factors: ReadonlyArray<SecondFactor>) =>
  new Unauthorized({
    code: "second_factor_required",
    detail: "Send a code of the authenticator app, or a recovery code, as code; or sign in with a passkey",
    extra: { factors }
  })

const oneFactor = new Forbidden({
  code: "two_factors_required",
  detail: "The account has a second factor: confirm with one at POST /auth/confirm"
})

/** Ten recovery codes are made at once. */
const codeCount = 10

/** The digits of Base32 (RFC 4648), which has none that are easily confused with each other. */
const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

const factorsOf = (draft: LockedDraft, user_id: string) =>
  draft.execute<Pick<FactorRow, "id" | "kind">>(
    "SELECT id, kind FROM factors WHERE workspace_id = $1 AND user_id = $2 ORDER BY created_at, id",
    [draft.workspace_id, user_id]
  )

/** Returns how many factors a user has, and how many recovery codes. */
export const countOf = Effect.fnUntraced(function* (draft: LockedDraft, user_id: string) {
  const [counted] = yield* draft.execute<{ readonly factors: number; readonly codes: number }>(
    `SELECT (SELECT count(*)::int FROM factors WHERE workspace_id = $1 AND user_id = $2) AS factors,
      (SELECT count(*)::int FROM recovery_codes WHERE workspace_id = $1 AND user_id = $2) AS codes`,
    [draft.workspace_id, user_id]
  )
  return counted!
})

/** Replaces the recovery codes of a user. Each has 120 random bits, so that a plain digest of it suffices. */
export const makeCodes = Effect.fnUntraced(function* (draft: LockedDraft, user_id: string) {
  yield* draft.execute("DELETE FROM recovery_codes WHERE workspace_id = $1 AND user_id = $2", [
    draft.workspace_id,
    user_id
  ])
  const codes = Array.from({ length: codeCount }, () =>
    Array.from(draft.randomness.bytes(24), (byte) => base32[byte % 32]).join("")
  )
  for (const code of codes) draft.add(recoveryCodes, { hash: Tokens.digestOf(code), user_id })
  return codes.map((code) => code.match(/.{6}/g)!.join("-"))
})

/** Uses a code: one of an authenticator app is valid once, and a recovery code ends. Returns which it was. */
export const useCode = Effect.fnUntraced(function* (
  draft: LockedDraft,
  secrets: Secrets["Service"],
  user_id: string,
  sent: string
): Effect.fn.Return<SecondFactor, Unauthorized> {
  const code = sent.replaceAll(/[\s-]/g, "").toUpperCase()
  if (/^[A-Z2-7]{24}$/.test(code)) {
    const held = yield* draft.get(recoveryCodes, Tokens.digestOf(code))
    if (held?.user_id !== user_id) return yield* wrongCode
    draft.remove(recoveryCodes, held.hash)
    AuditTrail.audit(draft, { action: "auth.recovery_code_used", resource: "user", resource_id: user_id })
    return "recovery_code"
  }
  if (!/^\d{6}$/.test(code)) return yield* wrongCode
  for (const { id, kind } of yield* factorsOf(draft, user_id)) {
    if (kind !== "totp") continue
    const row = (yield* draft.get(factors, id))!
    // Encrypted with a key that this server no longer has.
    const secret = secrets.open("totp", row.secret!)
    const last_step = secret === undefined ? undefined : yield* Totp.stepOf(secret, code, draft.millis, row.last_step)
    if (last_step === undefined) continue
    draft.put(factors, { ...row, last_step, last_used_at: draft.now })
    return "totp"
  }
  return yield* wrongCode
})

/** Requires the second factor of a user who has one. Returns which it was; null for a user without factors. */
export const complete = Effect.fnUntraced(function* (
  draft: LockedDraft,
  secrets: Secrets["Service"],
  user_id: string,
  code: string | undefined
) {
  const held = yield* factorsOf(draft, user_id)
  if (held.length === 0) return null
  if (code !== undefined) return yield* useCode(draft, secrets, user_id, code)
  const { codes } = yield* countOf(draft, user_id)
  const kinds = (["totp", "passkey"] as const).filter((kind) => held.some((factor) => factor.kind === kind))
  return yield* needed([...kinds, ...(codes > 0 ? (["recovery_code"] as const) : [])])
})

/**
 * Refuses a session that began with a password alone in a change of the ways in of a user who has a factor: a thief of
 * the password and of such a session could otherwise replace them.
 */
export const needTwo = Effect.fnUntraced(function* (draft: LockedDraft, user_id: string, session_id: string) {
  if ((yield* factorsOf(draft, user_id)).length === 0) return
  const session = yield* draft.get(sessions, session_id)
  if (session?.signed_in_by === "password" && session.second_factor === null) return yield* oneFactor
})

/** Stores that the user of a session has just authenticated, by which factor. False if the session has ended. */
export const confirm = Effect.fnUntraced(function* (draft: LockedDraft, session_id: string, by: SecondFactor | null) {
  const session = yield* draft.get(sessions, session_id)
  if (session === undefined || session.app !== null || session.expires_at <= draft.now) return false
  const second_factor = session.signed_in_by === "password" ? (by ?? session.second_factor) : null
  draft.put(sessions, { ...session, authenticated_at: draft.now, second_factor })
  return true
})

/** Ends all factors and recovery codes of a user. Returns how many factors there were. */
export const endAll = Effect.fnUntraced(function* (draft: LockedDraft, user_id: string) {
  const [ended] = yield* draft.execute<{ readonly count: number }>(
    `WITH codes AS (DELETE FROM recovery_codes WHERE workspace_id = $1 AND user_id = $2),
    gone AS (DELETE FROM factors WHERE workspace_id = $1 AND user_id = $2 RETURNING 1)
    SELECT count(*)::int AS count FROM gone`,
    [draft.workspace_id, user_id]
  )
  return ended!.count
})
