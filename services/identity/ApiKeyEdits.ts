import { Effect, Redacted } from "effect"
import { Invalid } from "../Errors.ts"
import type { Reach } from "../Reach.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import * as Tokens from "../Tokens.ts"
import { logKey, type Named } from "../workspaces/ApiKeyEnds.ts"
import type { Policies } from "../workspaces/Plans.ts"
import { exceeded } from "../workspaces/Quotas.ts"
import { roleOf } from "../workspaces/RoleChecks.ts"
import { type ApiKeyRow, apiKeys, workspaces } from "../workspaces/WorkspaceTables.ts"
import type { ApiKeyUpdate, ApiKeyWithSecret } from "./ApiKey.ts"
import type { Grantable } from "./Scopes.ts"

/**
 * Changes of API keys in a locked draft, for callers of `ApiKeys`, the operator, and password resets. They do not check
 * the rights of the caller.
 */

/** Refuses a key above the user's quota. The caller holds the user's row, so that concurrent requests count in order. */
export const mayHaveAnother = Effect.fnUntraced(function* (
  draft: LockedDraft,
  user_id: string,
  limits: Policies["limits"]
) {
  const limit = limits[(yield* draft.get(workspaces))!.plan].api_keys
  if (limit === 0) return
  const [row] = yield* draft.runSql<{ readonly used: number }>(
    `SELECT count(*)::int AS used FROM api_keys k
    JOIN workspaces w ON w.workspace_id = k.workspace_id AND w.deleted_at IS NULL
    WHERE k.user_id = $1 AND (k.expires_at IS NULL OR k.expires_at > $2)`,
    [user_id, draft.now]
  )
  const { used } = row!
  if (used < limit) return
  return yield* exceeded("api_keys", `A user has at most ${limit} API keys`, limit, used)
})

/** Maximum number of expired keys per user that remain visible in a workspace. */
const maxEnded = 100

/** Deletes the keys of a user that expired first, beyond the maximum. */
export const deleteExpired = Effect.fnUntraced(function* (draft: LockedDraft, user_id: string) {
  const old = yield* draft.runSql<Named>(
    `SELECT id, name, prefix, scopes FROM api_keys WHERE workspace_id = $1 AND user_id = $2 AND expires_at <= $3
    ORDER BY expires_at DESC, id DESC OFFSET ${maxEnded} LIMIT 100`,
    [draft.workspace_id, user_id, draft.now]
  )
  for (const key of old) {
    draft.remove(apiKeys, key.id)
    logKey(draft, key, "api_key.deleted", { reason: "expired" })
  }
})

/** Stores another name and other notebooks of a key. */
export const changeKey = (
  draft: LockedDraft,
  key: ApiKeyRow,
  { name = key.name, notebooks = key.notebooks }: Pick<ApiKeyUpdate, "name" | "notebooks">
): void => {
  const changed = [
    ...(name === key.name ? [] : ["name"]),
    ...(JSON.stringify(notebooks) === JSON.stringify(key.notebooks) ? [] : ["notebooks"])
  ]
  if (changed.length === 0) return
  draft.put(apiKeys, { ...key, name, notebooks })
  logKey(draft, { ...key, name }, "api_key.updated", { changed, notebooks })
}

/** Creates a key in a locked draft and returns it with its secret. */
export const makeKey = Effect.fnUntraced(function* (
  draft: LockedDraft,
  key: Pick<ApiKeyRow, "user_id" | "name"> & {
    readonly scopes: ReadonlyArray<Grantable>
    readonly expires_at?: string | null
    readonly ends_with?: string | null
    readonly notebooks?: Reach | null
    /** Default: a random one. */
    readonly secret?: Redacted.Redacted
  },
  more?: object
) {
  // A user who has left meanwhile gets no key: it would become valid again if they come back.
  yield* roleOf(draft, key.user_id)
  const expires_at = key.expires_at == null ? null : new Date(key.expires_at).toISOString()
  if (expires_at !== null && expires_at <= draft.now) {
    return yield* Invalid.field("expires_at", "out_of_range", "must be in the future")
  }
  const secret = key.secret ?? Tokens.make(draft.randomness, "sfk")
  const row: ApiKeyRow = {
    id: draft.newId("ak"),
    user_id: key.user_id,
    name: key.name,
    prefix: Tokens.prefixOf(secret),
    secret_hash: Tokens.digest(secret),
    previous_secret_hash: null,
    previous_secret_expires_at: null,
    scopes: key.scopes,
    notebooks: key.notebooks ?? null,
    expires_at,
    ends_with: key.ends_with ?? null,
    created_at: draft.now
  }
  draft.add(apiKeys, row)
  logKey(draft, row, "api_key.created", { notebooks: row.notebooks, ...more })
  const shown: ApiKeyWithSecret = {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    scopes: key.scopes,
    notebooks: row.notebooks,
    last_used_at: null,
    expires_at,
    previous_secret_expires_at: null,
    created_at: row.created_at,
    secret: Redacted.value(secret)
  }
  return shown
})
