import { Effect } from "effect"
import { type UserIdentityRow, type UserRow, userIdentities } from "../identity/IdentityTables.ts"
import type { SecurityMails } from "../identity/SecurityMails.ts"
import * as MailTemplates from "../mail/MailTemplates.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { type Claims, type Provider, SignInRefused } from "./Provider.ts"

/** Maximum number of identities of a user. */
const maxIdentities = 20

export const linkedElsewhere = ({ name }: Provider) => new SignInRefused({ reason: "linkedElsewhere", provider: name })

/** Adds an identity to a draft of the user's personal workspace. */
export const add = (
  draft: LockedDraft,
  user: Pick<UserRow, "id">,
  { email, issuer, subject }: Claims,
  by: "email" | "link" | "registration" | "session" | "setup_link"
): UserIdentityRow => {
  const row: UserIdentityRow = {
    id: draft.newId("ui"),
    user_id: user.id,
    issuer,
    subject,
    email: email ?? null,
    created_at: draft.now,
    last_sign_in_at: null
  }
  draft.add(userIdentities, row)
  AuditTrail.audit(draft, {
    action: "auth.identity_linked",
    resource: "user",
    resource_id: user.id,
    data: { id: row.id, issuer, by }
  })
  return row
}

/** The same for an existing account, whose user gets a mail. */
export const link = Effect.fnUntraced(function* (
  draft: LockedDraft,
  user: UserRow,
  provider: Provider,
  claims: Claims,
  by: "email" | "link" | "session",
  mails: SecurityMails["Service"]
) {
  const [counted] = yield* draft.runSql<{ readonly count: number }>(
    "SELECT count(*)::int AS count FROM user_identities WHERE workspace_id = $1 AND user_id = $2",
    [draft.workspace_id, user.id]
  )
  if (counted!.count >= maxIdentities) return yield* new SignInRefused({ reason: "tooMany", provider: provider.name })
  yield* mails.put(draft, user.id, MailTemplates.identityLinked(provider.name))
  return add(draft, user, claims, by)
})
