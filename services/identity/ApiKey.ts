import { Schema } from "effect"
import { time } from "../Fields.ts"
import * as Text from "../Text.ts"
import { grantable } from "./Scopes.ts"

const Scope = Text.oneOf(grantable, "unknown_scope").annotate({ identifier: "Scope" })

/** interface.md "API key"; contract 4. */
const fields = {
  id: Schema.String,
  name: Schema.String,
  /** The first characters of the secret. */
  prefix: Schema.String,
  scopes: Schema.Array(Scope),
  last_used_at: Schema.NullOr(time("When it was last used.")),
  expires_at: Schema.NullOr(time("Until when it is good.")),
  /** Until then the secret before the last rotation is good too. */
  previous_secret_expires_at: Schema.NullOr(time("Until then the secret before the last rotation is good too.")),
  created_at: time("When it was made.")
}

export const ApiKey = Schema.Struct(fields).annotate({ identifier: "ApiKey" })
export type ApiKey = typeof ApiKey.Type

/** The answer of create and rotate: the only ones that show the secret. */
export const ApiKeyWithSecret = Schema.Struct({ ...fields, secret: Schema.String }).annotate({
  identifier: "ApiKeyWithSecret"
})
export type ApiKeyWithSecret = typeof ApiKeyWithSecret.Type

export const ApiKeyCreate = Schema.Struct({
  name: Text.line(100),
  /** Absent: all that the caller may grant. */
  scopes: Schema.optionalKey(Schema.Array(Scope).check(Text.atMost(50))),
  expires_at: Schema.optionalKey(Schema.NullOr(Text.Timestamp))
}).annotate({ identifier: "ApiKeyCreate" })
export type ApiKeyCreate = typeof ApiKeyCreate.Type

/** A rotation changes the secret alone: what else its body says is ignored. */
export const ApiKeyRotate = Schema.Struct({ name: Schema.optionalKey(Text.line(100)) }).annotate({
  identifier: "ApiKeyRotate"
})
