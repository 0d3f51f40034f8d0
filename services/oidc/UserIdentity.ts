import { Schema } from "effect"
import * as Fields from "../Fields.ts"
import { listOf } from "../lists/ListSpec.ts"

/** A subject of an OpenID provider that signs the user in (contract 4). */
export const UserIdentity = Schema.Struct({
  id: Fields.ownId("ui"),
  issuer: Fields.text("The issuer of the provider.", "https://example.com"),
  subject: Fields.text("The user's id at the provider.", "248289761001"),
  email: Schema.NullOr(
    Fields.text("The address that the provider has named last; null if it names none.", "anna@example.org")
  ),
  created_at: Fields.createdAt,
  last_sign_in_at: Schema.NullOr(Fields.time("When it last signed the user in; null if it never did."))
}).annotate({ identifier: "UserIdentity" })
export type UserIdentity = typeof UserIdentity.Type

const provider = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })).annotate({
  description: "The number of the provider: 1 for `OIDC_ISSUER`, 2 for `OIDC_2_ISSUER`.",
  examples: [1]
})

export const IdentityConnect = Schema.Struct({
  provider,
  current_password: Fields.currentPassword
}).annotate({ identifier: "IdentityConnect" })
export type IdentityConnect = typeof IdentityConnect.Type

export const IdentityConfirm = Schema.Struct({ provider }).annotate({ identifier: "IdentityConfirm" })
export type IdentityConfirm = typeof IdentityConfirm.Type

export const ProviderRedirect = Schema.Struct({
  redirect_url: Fields.text(
    "The address at the provider that the browser goes to, with the cookie of the response.",
    "https://example.com/authorize?…"
  )
}).annotate({ identifier: "ProviderRedirect" })

/** The identities of a user, of which there are at most 20. */
export const identityList = listOf(UserIdentity, {
  path: "/me/identities",
  from: "user_identities",
  sort: ["-created_at"],
  filter: ["id", "issuer", "created_at"],
  unindexedSorts: ["created_at"]
})
