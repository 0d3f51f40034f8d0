import { Schema } from "effect"
import { asRead } from "../database/TextOrder.ts"
import { email, trimming } from "../Email.ts"
import * as Fields from "../Fields.ts"
import { listOf } from "../lists/ListSpec.ts"
import * as Text from "../Text.ts"
import { Code, PasskeyProof } from "./factors/Factor.ts"
import { about, Locale, NewPassword, Timezone, User } from "./User.ts"

const deviceName = { description: "The name shown to people.", examples: ["Anna's phone"] }
const platform = { description: "The platform of the device.", examples: ["ios"] }

const SessionDevice = Schema.Struct({
  id: Fields.id("sy", "The device's id."),
  name: Schema.String.annotate(deviceName),
  platform: Schema.String.annotate(platform)
}).annotate({ identifier: "SessionDevice" })

/** An active sign-in (contract 4). */
export const Session = Schema.Struct({
  id: Fields.ownId("se"),
  device: SessionDevice.annotateKey({ description: "The device of the session." }),
  user_agent: Schema.NullOr(Fields.userAgent),
  ip: Schema.NullOr(Fields.ip),
  signed_in_by: Schema.Literals(["passkey", "password", "provider"]).annotate({
    description: "What it began with: a password, a passkey, or an OpenID provider.",
    examples: ["password"]
  }),
  second_factor: Schema.NullOr(
    Schema.Literals(["passkey", "recovery_code", "totp"]).annotate({
      description:
        "What completed a sign-in by password, then or later; null if nothing did, and for other sign-ins: a passkey is two factors at once, and a provider asks for its own.",
      examples: ["totp"]
    })
  ),
  current: Schema.Boolean.annotate({ description: "Whether it is the device of this request.", examples: [true] }),
  last_active_at: Fields.time("When it was last used."),
  created_at: Fields.createdAt,
  expires_at: Fields.time("When it ends, unless its tokens are refreshed before: at most 365 days after `created_at`.")
}).annotate({ identifier: "Session" })
export type Session = typeof Session.Type

/** The response to ending all other sessions. */
export const RevokedSessions = Schema.Struct({
  revoked: Fields.count("The number of sessions that were ended.", 2)
}).annotate({ identifier: "RevokedSessions" })

const refreshToken = {
  description: "The token that gets new tokens. It can be used once.",
  examples: ["sfr_7Kd2mQx9vT4sWx7Yb2Nc5E0aLpR3uHn1zQj9G"]
}

/** The response to a sign-in. No other response contains these tokens. */
export const TokenResponse = Schema.Struct({
  access_token: Fields.text(
    "The token for the header Authorization. Valid for one hour.",
    "sfa_7Kd2mQx9vT4sWx7Yb2Nc5E0aLpR3uHn1zQj9G"
  ),
  token_type: Schema.Literal("Bearer").annotate({ description: "Always `Bearer`." }),
  expires_in: Fields.count("Seconds until the access token expires.", 3600),
  refresh_token: Schema.String.annotate(refreshToken),
  refresh_expires_in: Fields.count("Seconds until the refresh token expires.", 7_776_000),
  scope: Fields.text("The scopes of the tokens, separated by spaces.", "notes:read notes:write profile"),
  session_id: Fields.id("se", "The session's id."),
  device_id: Fields.id("sy", "The device of the session."),
  workspace_id: Fields.id(
    "ws",
    "The user's personal workspace. The token acts in it unless `Workspace-Id` names another."
  ),
  user: User.annotateKey({ description: "The user." })
}).annotate({ identifier: "TokenResponse" })
export type TokenResponse = typeof TokenResponse.Type

const device = {
  name: Schema.optionalKey(Text.singleLine(100, deviceName)),
  platform: Schema.optionalKey(Text.singleLine(100, platform)),
  locale: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "The language of the device. A new account without one gets it, and an account at its first sign-in. An invalid one is ignored.",
      examples: about.locale.examples
    })
  ),
  timezone: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "The time zone of the device. A new account without one gets it, and an account at its first sign-in. An unknown one is ignored.",
      examples: about.timezone.examples
    })
  )
}
const someDevice = { name: "Anna's phone", platform: "ios" }

/** An address that is only looked up, so that it may be any text. */
const AnyEmail = Text.notBlank(320).annotate(about.email).pipe(trimming)

/** A token that is only looked up. */
const AnyToken = Text.notBlank(1000)

export const Register = Schema.Struct({
  email: email(about.email),
  password: NewPassword.annotate({ description: "At least 10 characters.", examples: ["correct horse battery"] }),
  name: Schema.optionalKey(
    Text.notBlank(100).annotate({
      description: "The name shown to people. Default: the first part of the address.",
      examples: about.name.examples
    })
  ),
  locale: Schema.optionalKey(Locale),
  timezone: Schema.optionalKey(Timezone),
  invitation_token: Schema.optionalKey(
    AnyToken.annotate({
      description: "The token of an invitation to this address. Registering accepts the invitation.",
      examples: ["sfi_7Kd2mQx9vT4sWx7Yb2Nc5E0aLpR3uHn1zQj9G"]
    })
  ),
  device: Schema.optionalKey(
    Schema.Struct(device).annotate({ description: "The device to sign in on.", examples: [someDevice] })
  )
}).annotate({ identifier: "Register" })
export type Register = typeof Register.Type

const knownDevice = Schema.Struct({
  id: Schema.optionalKey(Schema.String.annotate(Fields.aboutId("sy", "The id of the device, if it has one already."))),
  ...device
}).annotate({
  description: "The device to sign in on: a known one by its id, or a new one.",
  examples: [someDevice]
})

export const LogIn = Schema.Struct({
  email: AnyEmail,
  password: Fields.Password,
  code: Schema.optionalKey(
    Code.annotate({
      description: "A code of the authenticator app, or a recovery code, if the account has a second factor."
    })
  ),
  device: Schema.optionalKey(knownDevice)
}).annotate({ identifier: "LogIn" })
export type LogIn = typeof LogIn.Type

export const PasskeyLogIn = Schema.Struct({
  ...PasskeyProof.fields,
  device: Schema.optionalKey(knownDevice)
}).annotate({ identifier: "PasskeyLogIn" })
export type PasskeyLogIn = typeof PasskeyLogIn.Type

/** Shows that the user of a session is present, by any factor. */
export const Confirm = Schema.Struct({
  current_password: Schema.optionalKey(Fields.Password.annotate({ writeOnly: true })),
  code: Schema.optionalKey(Code),
  passkey: Schema.optionalKey(PasskeyProof)
}).annotate({ identifier: "Confirm", description: "Exactly one of the members." })
export type Confirm = typeof Confirm.Type

export const Confirmed = Schema.Struct({ confirmed: Fields.always }).annotate({ identifier: "Confirmed" })

/** The response to the end of the session of a request. */
export const LoggedOut = Schema.Struct({
  deleted: Fields.always,
  id: Fields.id("se", "The id of the session."),
  sign_out_url: Schema.optionalKey(
    Fields.text(
      "The address at which the user also signs out at the provider that has signed them in, if it has one.",
      "https://example.com/logout?id_token_hint=…"
    )
  )
}).annotate({ identifier: "LoggedOut" })

/** An empty body. */
export const LogOut = Schema.Struct({}).annotate({ identifier: "LogOut" })

export const Refresh = Schema.Struct({ refresh_token: AnyToken.annotate(refreshToken) }).annotate({
  identifier: "Refresh"
})

export const PasswordChange = Schema.Struct({
  current_password: Fields.Password.annotate({ description: "The current password." }),
  new_password: NewPassword
}).annotate({
  identifier: "PasswordChange"
})
export type PasswordChange = typeof PasswordChange.Type

export const PasswordForgotten = Schema.Struct({ email: AnyEmail }).annotate({ identifier: "PasswordForgotten" })

export const PasswordReset = Schema.Struct({
  token: AnyToken.annotate({
    description: "The token from the mail.",
    examples: ["sfp_7Kd2mQx9vT4sWx7Yb2Nc5E0aLpR3uHn1zQj9G"]
  }),
  new_password: NewPassword
}).annotate({
  identifier: "PasswordReset"
})
export type PasswordReset = typeof PasswordReset.Type

/** The response for an address, with an account or without one. */
export const Accepted = Schema.Struct({ accepted: Fields.always }).annotate({ identifier: "Accepted" })

export const Changed = Schema.Struct({ changed: Fields.always }).annotate({ identifier: "Changed" })

/** Sessions. `current` marks the session with the id $4. */
export const sessionList = listOf(Session, {
  path: "/me/sessions",
  from: `(SELECT *, json_build_object('id', device_id, 'name', device_name, 'platform', platform) AS device,
    id = $4 AS current FROM sessions WHERE app IS NULL) s`,
  sort: ["-created_at", "name", "last_used_at"],
  filter: ["id", "name", "active", "created_at", "last_used_at"],
  // A user has at most 100.
  unindexedSorts: ["created_at", "name", "last_used_at"],
  sorts: {
    name: { sql: asRead("device_name"), type: "text" },
    last_used_at: { sql: "last_active_at", type: "text" }
  },
  filters: {
    name: { type: "text", sql: "device_name", isWords: true },
    active: { type: "boolean", sql: "true" },
    last_used_at: { type: "timestamp", sql: "last_active_at" }
  }
})
