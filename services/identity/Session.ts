import { Schema } from "effect"
import { time } from "../Fields.ts"
import * as Text from "../Text.ts"
import { Email } from "../Email.ts"
import { Locale, NewPassword, Password, Timezone, User } from "./User.ts"

/** An active sign-in (contract 4). */
export const Session = Schema.Struct({
  id: Schema.String,
  device: Schema.Struct({ id: Schema.String, name: Schema.String, platform: Schema.String }).annotate({
    identifier: "SessionDevice"
  }),
  user_agent: Schema.NullOr(Schema.String),
  ip: Schema.NullOr(Schema.String),
  current: Schema.Boolean,
  last_active_at: time("When it was last used."),
  created_at: time("When it was made."),
  expires_at: time("Until when it is good.")
}).annotate({ identifier: "Session" })

/** What signs somebody in: both tokens are in this answer only. */
export const TokenAnswer = Schema.Struct({
  access_token: Schema.String,
  token_type: Schema.Literal("Bearer"),
  expires_in: Schema.Int,
  refresh_token: Schema.String,
  refresh_expires_in: Schema.Int,
  scope: Schema.String,
  session_id: Schema.String,
  device_id: Schema.String,
  workspace_id: Schema.String,
  user: User
}).annotate({ identifier: "TokenAnswer" })
export type TokenAnswer = typeof TokenAnswer.Type

const device = {
  name: Schema.optionalKey(Text.line(100)),
  platform: Schema.optionalKey(Text.line(100))
}

/** An address that is only looked up: whatever it is, there is an account or there is none. */
const AnyEmail = Text.line(320)

/** A token that is only looked up. */
const AnyToken = Text.line(1000)

export const Register = Schema.Struct({
  email: Email,
  password: NewPassword,
  name: Schema.optionalKey(Text.line(100)),
  locale: Schema.optionalKey(Locale),
  timezone: Schema.optionalKey(Timezone),
  invitation_token: Schema.optionalKey(AnyToken),
  device: Schema.optionalKey(Schema.Struct(device))
}).annotate({ identifier: "Register" })
export type Register = typeof Register.Type

export const LogIn = Schema.Struct({
  email: AnyEmail,
  password: Password,
  device: Schema.optionalKey(Schema.Struct({ id: Schema.optionalKey(Schema.String), ...device }))
}).annotate({ identifier: "LogIn" })
export type LogIn = typeof LogIn.Type

/** There is nothing to say. */
export const LogOut = Schema.Struct({}).annotate({ identifier: "LogOut" })

export const Refresh = Schema.Struct({ refresh_token: AnyToken }).annotate({ identifier: "Refresh" })

export const PasswordChange = Schema.Struct({ current_password: Password, new_password: NewPassword }).annotate({
  identifier: "PasswordChange"
})
export type PasswordChange = typeof PasswordChange.Type

export const PasswordForgotten = Schema.Struct({ email: AnyEmail }).annotate({ identifier: "PasswordForgotten" })

export const PasswordReset = Schema.Struct({ token: AnyToken, new_password: NewPassword }).annotate({
  identifier: "PasswordReset"
})
export type PasswordReset = typeof PasswordReset.Type

/** The same for an address with an account and for one without. */
export const Accepted = Schema.Struct({ accepted: Schema.Literal(true) }).annotate({ identifier: "Accepted" })

export const Changed = Schema.Struct({ changed: Schema.Literal(true) }).annotate({ identifier: "Changed" })
