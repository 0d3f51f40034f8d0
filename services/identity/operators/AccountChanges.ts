import { Effect } from "effect"
import { emailKey } from "../../Email.ts"
import type { AuditAction } from "../../EventTypes.ts"
import * as AuditTrail from "../../writer/AuditTrail.ts"
import type { LockedDraft } from "../../writer/LockedDraft.ts"
import { invalidateConfirmations } from "../Confirmations.ts"
import type { UserRow } from "../IdentityTables.ts"
import { invalidateResets } from "../Recovery.ts"
import * as SessionTokens from "../SessionTokens.ts"
import { needOtherOperator } from "./OtherOperators.ts"

/** Changes of a user. Members that are absent stay. */
export interface AccountChanges {
  readonly email?: string | undefined
  readonly name?: string | undefined
  /** Whether the user may administer the server. */
  readonly operator?: boolean | undefined
  readonly suspended?: boolean | undefined
}

/** Changes the row of a user, ends what the change ends, and adds an audit entry for each part of the change. */
export const changed = Effect.fnUntraced(function* (draft: LockedDraft, before: UserRow, to: AccountChanges) {
  const audit = (action: AuditAction, data?: { readonly from: string; readonly to: string }) => {
    draft.changesAccess = true
    AuditTrail.audit(draft, { action, resource: "user", resource_id: before.id, ...(data && { data }) })
  }
  if (to.operator === false || to.suspended === true) yield* needOtherOperator(draft, before)
  const after = { ...before, name: to.name ?? before.name }
  if (after.name !== before.name) audit("auth.name_changed", { from: before.name, to: after.name })
  if (to.email !== undefined && to.email !== before.email) {
    Object.assign(after, { email: to.email, email_key: emailKey(to.email), email_proven: true })
    yield* invalidateResets(draft, before.id)
    yield* invalidateConfirmations(draft, before.id)
    audit("auth.email_changed", { from: before.email, to: to.email })
  }
  if (to.operator !== undefined && to.operator !== before.is_operator) {
    after.is_operator = to.operator
    audit(to.operator ? "auth.operator_added" : "auth.operator_removed")
  }
  if (to.suspended === true && before.suspended_at === null) {
    after.suspended_at = draft.now
    yield* SessionTokens.endAll(draft, before.id, "suspended")
    yield* invalidateResets(draft, before.id)
    audit("auth.account_suspended")
  }
  if (to.suspended === false && before.suspended_at !== null) {
    after.suspended_at = null
    audit("auth.account_resumed")
  }
  return after
})
