import { Effect } from "effect"
import { Forbidden, Invalid, Unauthorized } from "../Errors.ts"
import type { PrincipalShape } from "../Principal.ts"
import type { Draft } from "../writer/Draft.ts"
import { type ApiKeyRow, apiKeys } from "./WorkspaceTables.ts"

/** The lifetime of a credential. Records that it creates do not outlive it (contract 4, API key). */
export interface Term {
  /** When it ends; null for a session, and for an API key without `expires_at`. */
  readonly expires_at: string | null
  /**
   * The value that records of the credential store, so that they end with it also before `expires_at`: the id of an API
   * key that expires, or the digest of a replaced secret. Null if `expires_at` is null.
   */
  readonly ends_with: string | null
  /** Whether a rotation replaced the secret, which stays valid for the rest of its 24 hours. */
  readonly isReplaced: boolean
}

/** The term of a session, also of an app. Its records may outlive it, because the user can sign in again at any time. */
const lasting: Term = { expires_at: null, ends_with: null, isReplaced: false }

export const ended = new Unauthorized({ code: "invalid_token", detail: "The credential was revoked" })

const replaced = new Forbidden({
  code: "forbidden",
  detail: "The secret was replaced by a rotation and is no longer allowed to do this: use the new secret"
})

const earlier = (one: string | null, other: string): string => (one !== null && one < other ? one : other)

/** The term of a key by the digest of the secret that was sent; undefined if the key or the secret has ended. */
export const termOfKey = (key: ApiKeyRow | undefined, digest: string, now: string): Term | undefined => {
  if (key === undefined) return undefined
  if (key.secret_hash === digest) {
    return key.expires_at === null ? lasting : { expires_at: key.expires_at, ends_with: key.id, isReplaced: false }
  }
  const until = key.previous_secret_hash === digest ? key.previous_secret_expires_at : null
  if (until === null || until <= now) return undefined
  return { expires_at: earlier(key.expires_at, until), ends_with: digest, isReplaced: true }
}

/**
 * Returns the current term of the caller's credential. Fails with 401 `invalid_token` if the key or its secret ended
 * while the write waited. In a draft of the key's workspace.
 */
export const termOf = Effect.fnUntracedEager(function* (draft: Draft, principal: PrincipalShape) {
  if (principal.kind !== "api_key") return lasting
  const key = yield* draft.get(apiKeys, principal.credential_id)
  return termOfKey(key, principal.digest, draft.now) ?? (yield* ended)
})

/** Like `termOf`, but fails with 403 `forbidden` for a replaced secret. */
export const presentTermOf = Effect.fnUntracedEager(function* (draft: Draft, principal: PrincipalShape) {
  const term = yield* termOf(draft, principal)
  return term.isReplaced ? yield* replaced : term
})

/**
 * Returns the end of a record: `asked`, or else the earlier of `usual` (null: no end) and the end of the credential.
 * Fails with 422 if `asked` is after the end of the credential.
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
    : Effect.fail(Invalid.field("expires_at", "out_of_range", "must not be after the end of the calling API key"))
}
