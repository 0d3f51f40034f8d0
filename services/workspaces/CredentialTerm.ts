import { Effect } from "effect"
import { Forbidden, Invalid, Unauthorized } from "../Errors.ts"
import type { PrincipalShape } from "../Principal.ts"
import type { Draft } from "../writer/Draft.ts"
import { type ApiKeyRow, apiKeys } from "./WorkspaceTables.ts"

/** How long a credential lasts: nothing that it makes outlives it (contract 4, API key). */
export interface Term {
  /** When it ends; null for a session, and for an API key without `expires_at`. */
  readonly expires_at: string | null
  /**
   * The value that its records keep, to end with it also before `expires_at`: the id of an API key that expires, or the
   * digest of a replaced secret. Null where `expires_at` is.
   */
  readonly ends_with: string | null
  /** A rotation replaced the secret, which is still valid for the rest of its 24 hours. */
  readonly isReplaced: boolean
}

/** The term of a session: its user can sign in again at any time, so that what it makes may last. */
const lasting: Term = { expires_at: null, ends_with: null, isReplaced: false }

export const ended = new Unauthorized({ code: "invalid_token", detail: "The credential was revoked" })

const replaced = new Forbidden({
  code: "forbidden",
  detail: "The secret was replaced by a rotation, and may not do this any more: use the new secret"
})

const earlier = (one: string | null, other: string): string => (one !== null && one < other ? one : other)

const termOfKey = (key: ApiKeyRow | undefined, digest: string, now: string): Term | undefined => {
  if (key === undefined) return undefined
  if (key.secret_hash === digest) {
    return key.expires_at === null ? lasting : { expires_at: key.expires_at, ends_with: key.id, isReplaced: false }
  }
  const until = key.previous_secret_hash === digest ? key.previous_secret_expires_at : null
  if (until === null || until <= now) return undefined
  return { expires_at: earlier(key.expires_at, until), ends_with: digest, isReplaced: true }
}

/**
 * The term of the caller's credential as it is now: a key may have been deleted or rotated while the write waited for its
 * turn (401 `invalid_token`). In a draft of the key's workspace.
 */
export const termOf = Effect.fnUntracedEager(function* (draft: Draft, principal: PrincipalShape) {
  if (principal.kind === "session") return lasting
  const key = yield* draft.get(apiKeys, principal.credential_id)
  return termOfKey(key, principal.digest, draft.now) ?? (yield* ended)
})

/** The same for what a replaced secret may not do (403 `forbidden`). */
export const presentTermOf = Effect.fnUntracedEager(function* (draft: Draft, principal: PrincipalShape) {
  const term = yield* termOf(draft, principal)
  return term.isReplaced ? yield* replaced : term
})

/**
 * The end of a record: `asked`, or else the earlier one of `usual` (null: no end) and the end of the credential. 422 where
 * `asked` is after the end of the credential.
 */
export const endWithin = (
  { expires_at: end }: Term,
  asked: string | null | undefined,
  usual: string | null = null
): Effect.Effect<string | null, Invalid> => {
  const at = asked == null ? usual : new Date(asked).toISOString()
  if (end === null || (at !== null && at <= end)) return Effect.succeed(at)
  return asked == null
    ? Effect.succeed(end)
    : Effect.fail(Invalid.field("expires_at", "out_of_range", "must not be after the end of the key that asks"))
}
