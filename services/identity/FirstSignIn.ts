import { Effect } from "effect"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { type UserRow, users } from "./IdentityTables.ts"
import { defaultRegion, type Region, regionOf } from "./User.ts"

/**
 * Gives a user the locale and the time zone of the device of their first sign-in, each in place of the default. Later, a
 * default may be what the user has chosen. In a locked draft, before the session is started.
 */
export const settled = Effect.fnUntraced(function* (draft: LockedDraft, user: UserRow, device: Region) {
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
