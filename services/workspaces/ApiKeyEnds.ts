import { Effect } from "effect"
import type { SecurityEvent } from "../EventTypes.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { type ApiKeyRow, apiKeys } from "./WorkspaceTables.ts"

/** Ends API keys and the records that end with them (contract 4). In a locked draft; callers check the rights. */

/** The columns of a key that the logs show. */
export type Named = Pick<ApiKeyRow, "id" | "name" | "prefix" | "scopes">
type Ending = Named & Pick<ApiKeyRow, "previous_secret_hash">

export const logKey = (draft: LockedDraft, key: Named, type: SecurityEvent, more?: object) =>
  AuditTrail.log(draft, {
    type,
    resource: "api_key",
    resource_id: key.id,
    data: { name: key.name, prefix: key.prefix, scopes: key.scopes, ...more }
  })

/** Returns the keys of the draft's workspace that match a condition; $1 is the workspace, $2 the parameter. */
const keysWhere = (draft: LockedDraft, condition: string, param: unknown) =>
  draft.execute<Ending>(
    `SELECT id, name, prefix, scopes, previous_secret_hash FROM api_keys WHERE workspace_id = $1 AND ${condition}`,
    [draft.workspace_id, param]
  )

const ending = "workspace_id = $1 AND ends_with = ANY($2::text[]) AND expires_at > $3"

/** Ends the records that end with credentials: shares, invitations, webhooks, and API keys with their own records. */
export const endWith = Effect.fnUntraced(function* (draft: LockedDraft, credentials: ReadonlyArray<string>) {
  for (let ends = credentials; ends.length > 0;) {
    yield* draft.execute(
      `WITH ended_shares AS (UPDATE shares SET expires_at = $3, revision = greatest(revision + 1, $4::int) WHERE ${ending}),
        ended_invitations AS (UPDATE invitations SET expires_at = $3 WHERE ${ending} AND accepted_at IS NULL)
      UPDATE webhooks SET expires_at = $3 WHERE ${ending}`,
      [draft.workspace_id, ends, draft.now, String(draft.head.least_revision)]
    )
    const keys = yield* keysWhere(draft, "ends_with = ANY($2::text[])", ends)
    for (const key of keys) remove(draft, key, { reason: "creator_ended" })
    ends = keys.flatMap(credentialsOf)
  }
})

/** Returns the values of `ends_with` that records of a key may have. */
const credentialsOf = ({ id, previous_secret_hash }: Ending): ReadonlyArray<string> =>
  previous_secret_hash === null ? [id] : [id, previous_secret_hash]

const remove = (draft: LockedDraft, key: Named, more?: object) => {
  draft.remove(apiKeys, key.id)
  logKey(draft, key, "api_key.deleted", more)
}

export const endKeys = Effect.fnUntraced(function* (draft: LockedDraft, keys: ReadonlyArray<Ending>, more?: object) {
  for (const key of keys) remove(draft, key, more)
  yield* endWith(draft, keys.flatMap(credentialsOf))
})

/** Ends the keys of a user in the draft's workspace. */
export const endKeysOf = Effect.fnUntraced(function* (draft: LockedDraft, user_id: string, more?: object) {
  yield* endKeys(draft, yield* keysWhere(draft, "user_id = $2", user_id), more)
})
