import { Effect } from "effect"
import * as MailTemplates from "../mail/MailTemplates.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { Plans } from "../workspaces/Plans.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { type UserRow, users } from "./IdentityTables.ts"
import { SecurityMails } from "./SecurityMails.ts"
import * as SessionTokens from "./SessionTokens.ts"
import { defaultRegion, type Region, regionOf } from "./User.ts"

/**
 * Gives a user the locale and the time zone of the device of their first sign-in, each in place of the default. Later, a
 * default may be what the user has chosen. In a locked draft, before the session is started.
 */
const settled = Effect.fnUntraced(function* (draft: LockedDraft, user: UserRow, device: Region) {
  const { locale, timezone } = { ...user, ...regionOf(device) }
  const after = {
    ...user,
    locale: user.locale === defaultRegion.locale ? locale : user.locale,
    timezone: user.timezone === defaultRegion.timezone ? timezone : user.timezone
  }
  if (after.locale === user.locale && after.timezone === user.timezone) return user
  // Devices of API keys are not sign-ins.
  const earlier = yield* draft.runSql(
    `SELECT 1 AS found FROM devices WHERE workspace_id = $1 AND user_id = $2 AND starts_with(credential_id, 'se_')
      LIMIT 1`,
    [draft.workspace_id, user.id]
  )
  if (earlier.length > 0) return user
  draft.put(users, after)
  return after
})

interface Entered {
  readonly device: SessionTokens.DeviceInput & Region
  readonly by: Parameters<typeof SessionTokens.start>[5]
  /** The data of the entry in the audit log. */
  readonly data?: object
  /** Whether the user gets a mail about a new device; true by default. */
  readonly isAnnounced?: boolean
}

/** What all sign-ins end with: starts the session of a user who has proved to be that user. In a locked draft. */
export const makeSignIn = Effect.gen(function* () {
  const secrets = yield* Secrets
  const securityMails = yield* SecurityMails
  const { limits } = yield* Plans
  return Effect.fnUntraced(function* (
    draft: LockedDraft,
    user: UserRow,
    { by, data, device: given, isAnnounced = true }: Entered
  ) {
    const present = yield* settled(draft, user, given)
    const { device, isNew, tokens } = yield* SessionTokens.start(draft, secrets, present, given, limits, by)
    if (isNew && isAnnounced) yield* securityMails.put(draft, user.id, MailTemplates.signedIn(device))
    const entry = { action: "auth.logged_in", resource: "session", resource_id: tokens.session_id } as const
    AuditTrail.audit(draft, data === undefined ? entry : { ...entry, data })
    return tokens
  })
})
