import { Effect } from "effect"
import { Invalid, NotFound } from "../../Errors.ts"
import { isAtLeast, type PrincipalShape, type Role } from "../../Principal.ts"
import * as AuditTrail from "../../writer/AuditTrail.ts"
import type { Draft } from "../../writer/Draft.ts"
import { endWithin, type Term, termOf } from "../../workspaces/CredentialTerm.ts"
import type { Quotas } from "../../workspaces/Quotas.ts"
import { insufficient, roleIn } from "../../workspaces/RoleChecks.ts"
import { isLive, namesNoNote, type NotePart } from "../NotePart.ts"
import { type ShareCreate, type ShareRow, shares, type ShareUpdate } from "./Share.ts"

/** Operations on shares in a draft. Shares are not synced: only the log contains them. */

export const missing = NotFound.of("share")

/** The content of events and audit entries: neither the link nor the password. */
const eventData = ({ breaks, expires_at, note_id, password_protected }: ShareRow) => ({
  note_id,
  password_protected,
  breaks,
  expires_at
})

type Action = "share.created" | "share.updated" | "share.deleted"

const record = (draft: Draft, type: Action, row: ShareRow) => {
  const entry = { resource: "share" as const, resource_id: row.id, data: eventData(row) }
  draft.append({ type, ...entry })
  AuditTrail.audit(draft, { action: type, ...entry })
}

/** Returns a share; fails with 404 if there is none, or if its note is in the trash. */
export const openShare = Effect.fnUntracedEager(function* (draft: Draft, id: string) {
  const row = yield* draft.get(shares, id)
  if (row === undefined) return yield* missing
  return (yield* isLive(draft, row.note_id)) ? row : yield* missing
})

/** Returns when a share expires: in the future, and no later than the credential of the caller. */
const endOf = (draft: Draft, term: Term, requested: string | null): Effect.Effect<string | null, Invalid> =>
  requested !== null && Date.parse(requested) <= draft.millis
    ? Effect.fail(Invalid.field("expires_at", "out_of_range", "must be in the future"))
    : endWithin(term, requested)

/** Whether a member with this role may have shares. */
const mayWrite = (role: Role | undefined): boolean => role !== undefined && isAtLeast(role, "editor")

/** Returns the caller as of this draft: the membership or the credential may have ended while the write waited. */
export const callerIn = Effect.fnUntracedEager(function* (draft: Draft, principal: PrincipalShape) {
  const term = yield* termOf(draft, principal)
  const role = yield* roleIn(draft, principal.user_id)
  if (role === undefined || !mayWrite(role)) return yield* insufficient("editor")
  return { user_id: principal.user_id, role, term }
})
export type Caller = Effect.Success<ReturnType<typeof callerIn>>

/** Returns the creator after a change: an admin takes over a share whose creator may no longer write. */
const makerAfter = Effect.fnUntracedEager(function* (draft: Draft, { created_by }: ShareRow, caller: Caller) {
  if (created_by === caller.user_id) return created_by
  if (created_by !== null && mayWrite(yield* roleIn(draft, created_by))) return created_by
  return isAtLeast(caller.role, "admin") ? caller.user_id : yield* insufficient("admin")
})

/** Fails if the password and `password_protected` contradict each other. */
export const checkPassword = (
  { password, password_protected }: Pick<ShareUpdate, "password" | "password_protected">,
  isProtected: boolean
): Effect.Effect<void, Invalid> => {
  if (password_protected === true && (password === null || (password === undefined && !isProtected))) {
    return Effect.fail(Invalid.field("password", "required", "is required if password_protected is true"))
  }
  if (password_protected === false && typeof password === "string") {
    return Effect.fail(Invalid.field("password_protected", "invalid", "must not be false if a password is given"))
  }
  return Effect.void
}

export const create = Effect.fnUntracedEager(function* (
  draft: Draft,
  quotas: Quotas["Service"],
  caller: Caller,
  { breaks = true, expires_at = null, note_id }: ShareCreate,
  secret: Pick<ShareRow, "token" | "token_hash" | "password">
) {
  if (!(yield* isLive(draft, note_id))) return yield* namesNoNote
  const end = yield* endOf(draft, caller.term, expires_at)
  yield* quotas.take(draft, "shares", 1)
  const row: ShareRow = {
    id: draft.newId("sh"),
    note_id,
    password_protected: secret.password !== null,
    breaks,
    expires_at: end,
    created_at: draft.now,
    revision: 1,
    ...secret,
    created_by: caller.user_id,
    ends_with: caller.term.ends_with
  }
  draft.add(shares, row)
  record(draft, "share.created", row)
  return row
})

/** Changes only the given fields. `hashed` is the hash of the new password. */
export const update = Effect.fnUntracedEager(function* (
  draft: Draft,
  caller: Caller,
  before: ShareRow,
  input: ShareUpdate,
  hashed: string | null
) {
  const { breaks, expires_at, password, password_protected } = input
  yield* checkPassword(input, before.password_protected)
  const isOff = password === null || password_protected === false
  // The present value changes nothing, even if the share has expired.
  const isSame =
    expires_at === undefined ||
    (expires_at === null ? before.expires_at === null : Date.parse(expires_at) === Date.parse(before.expires_at ?? ""))
  const next = {
    password: isOff ? null : (hashed ?? before.password),
    breaks: breaks ?? before.breaks,
    ...(isSame
      ? { expires_at: before.expires_at, ends_with: before.ends_with }
      : { expires_at: yield* endOf(draft, caller.term, expires_at), ends_with: caller.term.ends_with })
  }
  if (next.password === before.password && next.breaks === before.breaks && next.expires_at === before.expires_at) {
    return before
  }
  const created_by = yield* makerAfter(draft, before, caller)
  const row: ShareRow = {
    ...before,
    ...next,
    created_by,
    password_protected: next.password !== null,
    revision: draft.revisionAfter(before.revision)
  }
  draft.put(shares, row)
  record(draft, "share.updated", row)
  return row
})

export const remove = (draft: Draft, row: ShareRow): void => {
  draft.remove(shares, row.id)
  draft.count("shares", -1)
  record(draft, "share.deleted", row)
}

/** Each read of a share checks that its note is outside the trash. So a share changes only when its note is purged. */
export const sharesOfNote: NotePart = {
  type: "share",
  table: shares,
  trash: () => Effect.void,
  trashMany: () => Effect.void,
  restore: () => Effect.void,
  restoreMany: () => Effect.void,
  purge: Effect.fnUntracedEager(function* (draft, note_id) {
    if (draft.head.shares === 0) return
    for (const row of yield* draft.having(shares, "note_id", note_id)) remove(draft, row)
  })
}
