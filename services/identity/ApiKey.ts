import { Schema } from "effect"
import * as Fields from "../Fields.ts"
import { listOf } from "../lists/ListSpec.ts"
import { isAtLeast, type PrincipalShape } from "../Principal.ts"
import { askedReachOf, reachOf } from "../Reach.ts"
import * as Text from "../Text.ts"
import { effective, type Grantable, grantable } from "./Scopes.ts"

const Scope = Text.oneOf(grantable, "unknown_scope").annotate({ identifier: "Scope" })

const name = { description: "A label.", examples: ["Backup script"] }
const expires_at = { description: "When it expires; null if never.", examples: [null] }
const someScopes: ReadonlyArray<Grantable> = ["notes:read", "notes:write"]

/** An API key (contract 4). */
const fields = {
  id: Fields.ownId("ak"),
  name: Schema.String.annotate(name),
  prefix: Fields.text("The first characters of the secret, to recognize it.", "sfk_7Kd2mQx9"),
  scopes: Schema.Array(Scope).annotate({ description: "The scopes of the key.", examples: [someScopes] }),
  notebooks: reachOf("key"),
  last_used_at: Schema.NullOr(Fields.time("When it was last used successfully; null if never.")),
  expires_at: Schema.NullOr(Fields.time(expires_at.description)).annotate(expires_at),
  previous_secret_expires_at: Schema.NullOr(
    Fields.time("Until when the previous secret is also valid, else null.")
  ).annotate({ examples: [null] }),
  created_at: Fields.createdAt
}

export const ApiKey = Schema.Struct(fields).annotate({ identifier: "ApiKey" })
export type ApiKey = typeof ApiKey.Type

/** The response to create and rotate. No other response contains the secret. */
export const ApiKeyWithSecret = Schema.Struct({
  ...fields,
  secret: Fields.text("The secret. It is shown in this response only.", "sfk_7Kd2mQx9vT4sWx7Yb2Nc5E0aLpR3uHn1zQj9G")
}).annotate({
  identifier: "ApiKeyWithSecret"
})
export type ApiKeyWithSecret = typeof ApiKeyWithSecret.Type

export const ApiKeyCreate = Schema.Struct({
  name: Text.singleLine(100, name),
  scopes: Schema.optionalKey(
    Schema.Array(Scope)
      .check(Text.notEmpty(), Text.atMost(50))
      .annotate({
        description:
          "The scopes of the key. Default: all scopes that the caller may grant; with `notebooks` those of notes, files and exports, as others have no effect.",
        examples: [someScopes]
      })
  ),
  notebooks: askedReachOf("key"),
  expires_at: Schema.optionalKey(Schema.NullOr(Text.Timestamp).annotate(expires_at)),
  current_password: Fields.currentPassword
}).annotate({ identifier: "ApiKeyCreate" })
export type ApiKeyCreate = typeof ApiKeyCreate.Type

export const ApiKeyUpdate = Schema.Struct({
  name: Schema.optionalKey(Text.singleLine(100, name)),
  notebooks: askedReachOf("key"),
  current_password: Fields.currentPassword
}).annotate({ identifier: "ApiKeyUpdate" })
export type ApiKeyUpdate = typeof ApiKeyUpdate.Type

/** A rotation changes the secret only. Other members of the body are ignored. */
export const ApiKeyRotate = Schema.Struct({
  name: Schema.optionalKey(
    Text.notBlank(100).annotate({ description: "Accepted and not used: a rotation changes the secret only." })
  ),
  current_password: Fields.currentPassword
}).annotate({
  identifier: "ApiKeyRotate"
})

export const apiKeyList = listOf(ApiKey, {
  path: "/api-keys",
  from: "api_keys",
  sort: ["-created_at", "name", "last_used_at"],
  filter: ["id", "name", "created_at", "last_used_at"],
  words: ["name"],
  // The quota allows 100 per user.
  unindexedSorts: ["created_at", "name", "last_used_at"]
})

/** Rights to API keys (contract 4). */

type Caller = Pick<PrincipalShape, "role" | "scopes" | "user_id">
interface Owned {
  readonly user_id: string
}

/** Owners and admins see all keys of the workspace; other members see their own. */
export const maySeeAll = ({ role }: Pick<Caller, "role">): boolean => isAtLeast(role, "admin")

/** Users who see a key may also delete it. */
export const maySee = (caller: Caller, key: Owned): boolean => maySeeAll(caller) || isCreator(caller, key)

/** Only the creator of an API key can change or rotate it. */
export const isCreator = ({ user_id }: Pick<Caller, "user_id">, key: Owned): boolean => key.user_id === user_id

/** Returns the requested scopes that the caller does not have and so cannot grant. */
export const scopesBeyond = ({ scopes }: Pick<Caller, "scopes">, asked: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...effective(asked)].filter((scope) => !scopes.has(scope))
