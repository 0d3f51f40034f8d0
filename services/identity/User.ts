import { Schema } from "effect"
import { email } from "../Email.ts"
import * as Fields from "../Fields.ts"
import type { WorkspaceId } from "../Ids.ts"
import * as Text from "../Text.ts"
import { isGuessed } from "./GuessedPasswords.ts"

/** Descriptions of members in responses and requests. */
export const about = {
  email: { description: "An e-mail address.", examples: ["anna@example.org"] },
  name: { description: "The name shown to people.", examples: ["Anna"] },
  locale: { description: "A BCP 47 language tag.", examples: ["de-AT"] },
  timezone: { description: "An IANA time zone.", examples: ["Europe/Vienna"] },
  security_mails: {
    description:
      "Whether the user gets mails about sign-ins on new devices, changes of the password, and new API keys and webhooks. Default: true.",
    examples: [true]
  },
  operator: {
    description: "Whether the user may administer the server, with the scopes `admin:read` and `admin:write`.",
    examples: [false]
  },
  has_password: {
    description: "Whether the user has a password. Users of a provider may have none.",
    examples: [true]
  }
}

/** The current user (contract 4). */
export const User = Schema.Struct({
  id: Fields.ownId("us"),
  email: Schema.String.annotate(about.email),
  name: Schema.String.annotate(about.name),
  locale: Schema.String.annotate(about.locale),
  timezone: Schema.String.annotate(about.timezone),
  security_mails: Schema.Boolean.annotate(about.security_mails),
  operator: Schema.Boolean.annotate(about.operator),
  has_password: Schema.Boolean.annotate(about.has_password),
  created_at: Fields.createdAt
}).annotate({ identifier: "User" })
export type User = typeof User.Type

/** The members of an account that operations on it read. */
export interface Account {
  readonly id: string
  readonly email: string
  readonly name: string
  /** The user's personal workspace. */
  readonly workspace_id: WorkspaceId
}

/** Maximum number of characters of a locale. Longer well-formed tags have no meaning. */
const longestLocale = 100

/** Whether a language tag is well-formed (BCP 47). */
const isLocale = (tag: string): boolean => {
  try {
    return tag.length <= longestLocale && Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

/** Maximum number of characters of a time zone. The longest name has about 30. */
const longestTimezone = 100

/** Whether this runtime has the time zone (IANA). Offsets are not time zones. */
const isTimezone = (zone: string): boolean => {
  if (zone.length > longestTimezone || !/^[A-Za-z]/.test(zone)) return false
  try {
    return Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone !== ""
  } catch {
    return false
  }
}

export interface Region {
  readonly locale?: string
  readonly timezone?: string
}

/** The locale and the time zone of a device, as far as they are valid. Others are ignored: a sign-in does not fail by them. */
export const regionOf = ({ locale, timezone }: Region) => ({
  ...(locale !== undefined && isLocale(locale) ? { locale } : {}),
  ...(timezone !== undefined && isTimezone(timezone) ? { timezone } : {})
})

/** The locale and the time zone of users who have not chosen any. */
export const defaultRegion = { locale: "en", timezone: "UTC" }

/** The locale and the time zone of a new user: those that were asked for, of the device, or the defaults. */
export const firstRegion = ({ device = {}, ...asked }: Region & { readonly device?: Region }) => ({
  ...defaultRegion,
  ...regionOf(device),
  ...regionOf(asked)
})

export const Locale = Schema.String.check(
  Text.checked("invalid_locale", "must be a BCP 47 language tag such as en or de-AT", isLocale)
).annotate(about.locale)

export const Timezone = Schema.String.check(
  Text.checked("invalid_timezone", "must be an IANA time zone such as Europe/Vienna", isTimezone)
).annotate(about.timezone)

const isShort = (text: string): boolean => Text.codePoints(text) < 10

/** At least 10 characters (contract 4), and not a password that attackers try first. */
export const NewPassword = Text.short(200)
  .check(
    Text.checked("too_short", "must be at least 10 characters", (text) => !isShort(text), { minLength: 10 }),
    Text.checked("too_common", "is easily guessed", (text) => isShort(text) || !text.isWellFormed() || !isGuessed(text))
  )
  .annotate({ description: "The new password, at least 10 characters.", examples: ["staple battery horse"] })

/** Returns the default name of a user: the part of their address before the @. */
export const nameOf = (email: string): string => [...email.slice(0, email.lastIndexOf("@"))].slice(0, 100).join("")

export const UserUpdate = Schema.Struct({
  email: Schema.optionalKey(email(about.email)),
  current_password: Schema.optionalKey(
    Fields.Password.annotate({
      description:
        "The password of the signed-in user. Required for a change of the e-mail address, unless the user has none: then a recent sign-in is needed. Not used for API keys."
    })
  ),
  name: Schema.optionalKey(Text.singleLine(100, about.name)),
  locale: Schema.optionalKey(Locale),
  timezone: Schema.optionalKey(Timezone),
  security_mails: Schema.optionalKey(Schema.Boolean.annotate(about.security_mails))
}).annotate({ identifier: "UserUpdate" })
export type UserUpdate = typeof UserUpdate.Type

export const UserDelete = Schema.Struct({
  current_password: Schema.optionalKey(
    Fields.Password.annotate({
      description:
        "The password of the signed-in user. Required unless the user has none: then a recent sign-in is needed.",
      writeOnly: true
    })
  )
}).annotate({ identifier: "UserDelete" })
