import { Schema } from "effect"

/** Milliseconds that a sign-in at a provider may take: ten minutes (contract 4). */
export const signInLife = 600_000

const Device = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  locale: Schema.optionalKey(Schema.String),
  timezone: Schema.optionalKey(Schema.String)
})

/** What a sign-in is for. */
const Purpose = Schema.Union([
  Schema.Struct({
    kind: Schema.Literal("sign-in"),
    device: Device,
    /** The token of an invitation. */
    invitation: Schema.optionalKey(Schema.String),
    /** The token of a link of the operator, or of the first start, which connects the provider. */
    link: Schema.optionalKey(Schema.String)
  }),
  /** Connects the provider with the account of a session, or confirms that its user is present. */
  Schema.Struct({
    kind: Schema.Literals(["connect", "confirm"]),
    workspace_id: Schema.String,
    user_id: Schema.String,
    session_id: Schema.String
  })
])
export type Purpose = typeof Purpose.Type

/**
 * A sign-in that has begun. The browser keeps it, encrypted, in a cookie: it works on every node, after a restart, and in no
 * other browser.
 */
const SignInState = Schema.Struct({
  provider: Schema.Int,
  state: Schema.String,
  nonce: Schema.String,
  verifier: Schema.String,
  /** Unix milliseconds. */
  begun_at: Schema.Int,
  purpose: Purpose
})
export type SignInState = typeof SignInState.Type

export const SignInStateJson = Schema.fromJsonString(SignInState)
