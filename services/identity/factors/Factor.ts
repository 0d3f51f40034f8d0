import { Schema } from "effect"
import * as Fields from "../../Fields.ts"
import { listOf } from "../../lists/ListSpec.ts"
import * as Text from "../../Text.ts"

const name = { description: "The name shown to the user.", examples: ["Anna's phone"] }

/** The kinds of factors that a user can add (contract 4, Second factors). */
const Kind = Schema.Literals(["passkey", "totp"]).annotate({
  description: "`totp`: an authenticator app (RFC 6238); `passkey`: a passkey (WebAuthn).",
  examples: ["totp"]
})
export type Kind = typeof Kind.Type

/** A factor of a user in addition to the password. */
export const Factor = Schema.Struct({
  id: Fields.ownId("fa"),
  kind: Kind,
  name: Schema.String.annotate(name),
  rp_id: Schema.NullOr(Fields.text("The host that a passkey is for; null for an authenticator app.", "sheaf.example")),
  created_at: Fields.createdAt,
  last_used_at: Schema.NullOr(Fields.time("When it was last used; null if it never was."))
}).annotate({ identifier: "Factor" })
export type Factor = typeof Factor.Type

/** Maximum number of characters of a WebAuthn response in JSON: the largest attestations have a chain of certificates. */
const longestResponse = 30_000

const isSmall = (value: object): boolean => JSON.stringify(value).length <= longestResponse

/** What `navigator.credentials` returns, as its `toJSON()` writes it. The library that verifies it checks its members. */
const CredentialJson = Schema.Record(Schema.String, Schema.Unknown)
  .check(Schema.makeFilter(isSmall, { message: `must be at most ${longestResponse} characters of JSON` }))
  .annotateKey({
    description: "The response of the browser: `PublicKeyCredential.toJSON()` (WebAuthn).",
    examples: [{ id: "AQIDBA", rawId: "AQIDBA", type: "public-key", response: {} }]
  })

const offerToken = Text.notBlank(4000).annotate({
  description: "The token of the offer, which is valid for ten minutes and can be used once.",
  examples: ["eyJhbGciOiJkaXIi…"]
})

/** The use of a passkey. */
export const PasskeyProof = Schema.Struct({ token: offerToken, credential: CredentialJson }).annotate({
  identifier: "PasskeyProof",
  description: "The token of the offer, and the response of the browser to its options."
})
export type PasskeyProof = typeof PasskeyProof.Type

/** A code of an authenticator app or a recovery code. Spaces and hyphens are ignored, and case. */
export const Code = Text.notBlank(64).annotate({
  description: "A code of the authenticator app, or a recovery code.",
  examples: ["287082"],
  writeOnly: true
})

const Options = Schema.Record(Schema.String, Schema.Unknown)

export const FactorOffer = Schema.Struct({ kind: Kind, current_password: Fields.currentPassword }).annotate({
  identifier: "FactorOffer"
})
export type FactorOffer = typeof FactorOffer.Type

/** What a new factor is made from. */
export const OfferedFactor = Schema.Struct({
  token: offerToken,
  kind: Kind,
  secret: Schema.optionalKey(
    Fields.text("The secret of an authenticator app, in Base32. No other response has it.", "JBSWY3DPEHPK3PXP")
  ),
  uri: Schema.optionalKey(
    Fields.text(
      "The same for a QR code.",
      "otpauth://totp/Sheaf:anna%40example.org?secret=JBSWY3DPEHPK3PXP&issuer=Sheaf"
    )
  ),
  options: Schema.optionalKey(
    Options.annotate({
      description: "The options of a passkey for `PublicKeyCredential.parseCreationOptionsFromJSON()`.",
      examples: [{ challenge: "q83v…" }]
    })
  )
}).annotate({ identifier: "OfferedFactor" })
export type OfferedFactor = typeof OfferedFactor.Type

export const FactorCreate = Schema.Struct({
  token: offerToken,
  name: Schema.optionalKey(Text.singleLine(100, name)),
  code: Schema.optionalKey(
    Code.annotate({ description: "A code of the authenticator app, which shows that it works." })
  ),
  credential: Schema.optionalKey(CredentialJson)
}).annotate({ identifier: "FactorCreate" })
export type FactorCreate = typeof FactorCreate.Type

const codes = Schema.Array(Schema.String).annotate({
  description: "The recovery codes. Each completes one sign-in. No other response has them.",
  examples: [["7KD2MQ-XV4TSW-X7YB2N-C5EALP"]]
})

export const AddedFactor = Schema.Struct({
  ...Factor.fields,
  recovery_codes: Schema.optionalKey(
    codes.annotate({ description: "The first ten recovery codes of the account. No other response has them." })
  )
}).annotate({ identifier: "AddedFactor" })
export type AddedFactor = typeof AddedFactor.Type

export const FactorUpdate = Schema.Struct({ name: Text.singleLine(100, name) }).annotate({ identifier: "FactorUpdate" })
export type FactorUpdate = typeof FactorUpdate.Type

export const FactorDelete = Schema.Struct({ current_password: Fields.currentPassword }).annotate({
  identifier: "FactorDelete"
})

export const RecoveryCodesLeft = Schema.Struct({
  left: Fields.count("The number of recovery codes that are left.", 10)
}).annotate({ identifier: "RecoveryCodesLeft" })

export const RecoveryCodesCreate = Schema.Struct({ current_password: Fields.currentPassword }).annotate({
  identifier: "RecoveryCodesCreate"
})

export const RecoveryCodes = Schema.Struct({ recovery_codes: codes }).annotate({ identifier: "RecoveryCodes" })

/** An offer to sign in, or to confirm, with a passkey. */
export const PasskeyOffer = Schema.Struct({
  token: offerToken,
  options: Options.annotate({
    description: "The options for `PublicKeyCredential.parseRequestOptionsFromJSON()`.",
    examples: [{ challenge: "q83v…", rpId: "sheaf.example", userVerification: "required" }]
  })
}).annotate({ identifier: "PasskeyOffer" })
export type PasskeyOffer = typeof PasskeyOffer.Type

/** The factors of a user, of which there are at most 20. */
export const factorList = listOf(Factor, {
  path: "/me/factors",
  from: "factors",
  sort: ["-created_at", "name"],
  filter: ["id", "kind", "name", "created_at"],
  unindexedSorts: ["created_at", "name"]
})
