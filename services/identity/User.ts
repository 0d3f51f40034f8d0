import { Schema } from "effect"
import { Email } from "../Email.ts"
import * as Text from "../Text.ts"
import { isCommon } from "./CommonPasswords.ts"

/** interface.md "Current user". */
export const User = Schema.Struct({
  id: Schema.String,
  email: Schema.String,
  name: Schema.String,
  locale: Schema.String,
  timezone: Schema.String,
  created_at: Schema.String
}).annotate({ identifier: "User" })
export type User = typeof User.Type

/** Longer tags are well-formed too, and mean nothing. */
const longestLocale = 100

/** A well-formed language tag (BCP 47). */
const isLocale = (tag: string): boolean => {
  try {
    return tag.length <= longestLocale && Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

/** A zone that this runtime knows (IANA); offsets are none. */
const isTimezone = (zone: string): boolean => {
  try {
    return /^[A-Za-z]/.test(zone) && Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone !== ""
  } catch {
    return false
  }
}

export const Locale = Schema.String.check(
  Text.checked("invalid_locale", "must be a BCP 47 language tag such as en or de-AT", isLocale)
)

export const Timezone = Schema.String.check(
  Text.checked("invalid_timezone", "must be an IANA time zone such as Europe/Vienna", isTimezone)
)

/** Ten characters at least (contract 4), and none that is guessed first. */
export const NewPassword = Text.Text.check(
  Text.checked("too_short", "must be at least 10 characters", (text) => Text.codePoints(text) >= 10, { minLength: 10 }),
  Text.checked("too_long", "must be at most 200 characters", (text) => Text.codePoints(text) <= 200, {
    maxLength: 200
  }),
  Text.checked("too_common", "is one of the commonest passwords", (text) => !isCommon(text))
)

/** What is only compared: whatever it is, it is right or wrong. */
export const Password = Text.Text.check(
  Text.checked("too_long", "must be at most 1000 characters", (text) => text.length <= 1000, { maxLength: 1000 })
)

export const UserUpdate = Schema.Struct({
  email: Schema.optionalKey(Email),
  /** Needed for another e-mail address. */
  current_password: Schema.optionalKey(Password),
  name: Schema.optionalKey(Text.line(100)),
  locale: Schema.optionalKey(Locale),
  timezone: Schema.optionalKey(Timezone)
}).annotate({ identifier: "UserUpdate" })
export type UserUpdate = typeof UserUpdate.Type
