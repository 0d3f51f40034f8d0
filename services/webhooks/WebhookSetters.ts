import { Effect } from "effect"
import { type Scope, scopes } from "../identity/Scopes.ts"
import type { PrincipalShape } from "../Principal.ts"
import { presentTermOf } from "../workspaces/CredentialTerm.ts"
import { needRole, roleIn } from "../workspaces/RoleChecks.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import type { WebhookRow } from "./Webhook.ts"

/** The columns of a webhook that depend on the caller who sets it up: readable events and end. */
export type SetBy = Pick<WebhookRow, "scopes" | "updated_by" | "expires_at" | "ends_with">

export const byOperator: SetBy = { scopes, updated_by: null, expires_at: null, ends_with: null }

/** Checks the caller's role under the lock and returns their columns. A replaced secret may not set up a webhook. */
export const callerIn = Effect.fnUntraced(function* (draft: LockedDraft, principal: PrincipalShape) {
  const { ends_with, expires_at } = yield* presentTermOf(draft, principal)
  yield* needRole(draft, principal.user_id, ["admin"])
  const setBy: SetBy = {
    scopes: [...principal.scopes] as ReadonlyArray<Scope>,
    updated_by: principal.user_id,
    expires_at,
    ends_with
  }
  return setBy
})

export const isMember = (draft: LockedDraft, user_id: string | null) =>
  user_id === null ? Effect.succeed(true) : Effect.map(roleIn(draft, user_id), (role) => role !== undefined)
