import { Effect } from "effect"
import { Invalid, NotFound } from "../Errors.ts"
import * as Ids from "../Ids.ts"
import * as AuditTrail from "../storage/AuditTrail.ts"
import type { Draft } from "../storage/Draft.ts"
import type { Quotas } from "../workspaces/Quotas.ts"
import { isLive, namesNoNote, type NotePart } from "./NotePart.ts"
import type { ShareCreate, ShareUpdate } from "./Share.ts"
import { type ShareRow, shares } from "./ShareTable.ts"

/** What can be done to shares, on a draft. They are no records of sync: the log alone hears of them. */

export const missing = NotFound.of("share")

/** What is told of one: neither its link nor its password. */
const toldOf = ({ breaks, expires_at, note_id, password_protected }: ShareRow) => ({
  note_id,
  password_protected,
  breaks,
  expires_at
})

type Action = "share.created" | "share.updated" | "share.deleted"

const tell = (draft: Draft, type: Action, row: ShareRow) => {
  const told = { resource: "share" as const, resource_id: row.id, data: toldOf(row) }
  draft.append({ type, ...told })
  AuditTrail.audit(draft, { action: type, ...told })
}

/** The share of a note outside the trash, or 404. */
export const openShare = Effect.fnUntracedEager(function* (draft: Draft, id: string) {
  const row = yield* draft.get(shares, id)
  if (row === undefined) return yield* missing
  return (yield* isLive(draft, row.note_id)) ? row : yield* missing
})

const endOf = (draft: Draft, asked: string | null): Effect.Effect<string | null, Invalid> => {
  if (asked === null) return Effect.succeed(null)
  const at = Date.parse(asked)
  if (at <= draft.millis) return Effect.fail(Invalid.field("expires_at", "out_of_range", "must be in the future"))
  return Effect.succeed(new Date(at).toISOString())
}

/** A password that is sent, and what is said of there being one, have to agree. */
export const checkPassword = (
  { password, password_protected }: Pick<ShareUpdate, "password" | "password_protected">,
  isProtected: boolean
): Effect.Effect<void, Invalid> => {
  if (password_protected === true && (password === null || (password === undefined && !isProtected))) {
    return Effect.fail(Invalid.field("password", "required", "is needed where password_protected is true"))
  }
  if (password_protected === false && typeof password === "string") {
    return Effect.fail(Invalid.field("password_protected", "invalid", "must not be false where a password is sent"))
  }
  return Effect.void
}

export const create = Effect.fnUntracedEager(function* (
  draft: Draft,
  quotas: Quotas["Service"],
  { breaks = true, expires_at = null, note_id }: ShareCreate,
  secret: Pick<ShareRow, "token" | "token_hash" | "password">
) {
  if (!(yield* isLive(draft, note_id))) return yield* namesNoNote
  const end = yield* endOf(draft, expires_at)
  yield* quotas.take(draft, "shares", 1)
  const row: ShareRow = {
    id: Ids.make("sh", draft.millis),
    note_id,
    password_protected: secret.password !== null,
    breaks,
    expires_at: end,
    created_at: draft.now,
    revision: 1,
    ...secret,
    author_id: draft.actor.user_id
  }
  draft.add(shares, row)
  tell(draft, "share.created", row)
  return row
})

/** Only supplied fields change. `hashed`: the new password, as it is kept. */
export const update = Effect.fnUntracedEager(function* (
  draft: Draft,
  before: ShareRow,
  input: ShareUpdate,
  hashed: string | null
) {
  const { breaks, expires_at, password, password_protected } = input
  yield* checkPassword(input, before.password_protected)
  const isOff = password === null || password_protected === false
  const next = {
    password: isOff ? null : (hashed ?? before.password),
    breaks: breaks ?? before.breaks,
    // Sent as it stands, it changes nothing, even where its time is over.
    expires_at:
      expires_at === undefined ||
      (expires_at !== null && Date.parse(expires_at) === Date.parse(before.expires_at ?? ""))
        ? before.expires_at
        : yield* endOf(draft, expires_at)
  }
  if (next.password === before.password && next.breaks === before.breaks && next.expires_at === before.expires_at) {
    return before
  }
  const row = { ...before, ...next, password_protected: next.password !== null, revision: before.revision + 1 }
  draft.put(shares, row)
  tell(draft, "share.updated", row)
  return row
})

export const remove = (draft: Draft, row: ShareRow): void => {
  draft.remove(shares, row.id)
  draft.count("shares", -1)
  tell(draft, "share.deleted", row)
}

/** Shares show their note while it is outside the trash, which is looked at whenever one is read: only its end is theirs. */
export const sharesOfNote: NotePart = {
  trash: () => Effect.void,
  trashMany: () => Effect.void,
  restore: () => Effect.void,
  restoreMany: () => Effect.void,
  purge: Effect.fnUntracedEager(function* (draft, note_id) {
    if (draft.head.shares === 0) return
    for (const row of yield* draft.having(shares, "note_id", note_id)) remove(draft, row)
  })
}
