import { Clock, Context, Effect, Layer, Schema } from "effect"
import { isIP } from "node:net"
import { Database, runSql } from "../../database/Database.ts"
import { Conflict, Invalid, Unauthorized, type Unavailable } from "../../Errors.ts"
import type { UserId, WorkspaceId } from "../../Ids.ts"
import { Randomness } from "../../Randomness.ts"
import { Secrets } from "../../secrets/Secrets.ts"
import { traced } from "../../Traced.ts"
import type { LockedDraft } from "../../writer/LockedDraft.ts"
import { type FactorRow, factors } from "../IdentityTables.ts"
import { useOnce } from "./UsedSignIns.ts"
import type { PasskeyOffer, PasskeyProof } from "./Factor.ts"

type Library = typeof import("@simplewebauthn/server")

/** Milliseconds for which the response to an offer is accepted: ten minutes (contract 4, Second factors). */
export const offerLife = 10 * 60_000

export const invalidPasskey = new Unauthorized({
  code: "invalid_passkey",
  detail: "The passkey is not valid here, or the request for it has expired"
})

/** Why browsers have no passkeys for an address; undefined if they have (WebAuthn, section 5.1.3 and RP ID). */
export const refusalOf = (publicUrl: string): string | undefined => {
  const { hostname, protocol } = new URL(publicUrl)
  if (isIP(hostname.replace(/^\[|\]$/g, "")) > 0) return "passkeys need a host name in PUBLIC_URL, not an IP address"
  const isSecure = protocol === "https:" || hostname === "localhost" || hostname.endsWith(".localhost")
  return isSecure ? undefined : "passkeys need HTTPS in PUBLIC_URL"
}

/** EdDSA, ES256 and RS256 (COSE), which all authenticators know between them. */
const algorithms = [-8, -7, -257]

/** A challenge. The client brings it back, encrypted: it is valid on every node, and after a restart. */
const Challenge = Schema.fromJsonString(Schema.Struct({ challenge: Schema.String, begun_at: Schema.Int }))
const encode = Schema.encodeSync(Challenge)
const decode = Schema.decodeUnknownOption(Challenge)

/** A passkey whose signature was verified, with the number of signatures that its authenticator has counted. */
export interface Used {
  readonly workspace_id: WorkspaceId
  readonly user_id: UserId
  readonly id: string
  readonly counter: number
}

/** Passkeys (WebAuthn) for the host of PUBLIC_URL. User verification is required: a passkey is two factors at once. */
export class Passkeys extends Context.Service<
  Passkeys,
  {
    /** The host that they are for; undefined if there are none on this server. */
    readonly rp_id: string | undefined
    /** The options for a new passkey of a user, who has the passkeys `known`. */
    readonly creation: (
      user: { readonly id: string; readonly email: string; readonly name: string },
      known: ReadonlyArray<Pick<FactorRow, "credential_id" | "transports">>
    ) => Effect.Effect<{ readonly challenge: string; readonly options: Readonly<Record<string, unknown>> }, Conflict>
    /** Returns the columns of a new passkey for the response to such options. */
    readonly created: (
      challenge: string,
      credential: Readonly<Record<string, unknown>>
    ) => Effect.Effect<Pick<FactorRow, "counter" | "credential_id" | "public_key" | "rp_id" | "transports">, Invalid>
    /** Asks for any passkey of this server: the response of the browser names the user. */
    readonly offer: Effect.Effect<PasskeyOffer, Conflict>
    /** Verifies the response to an offer, once. */
    readonly verify: (proof: PasskeyProof) => Effect.Effect<Used, Unauthorized | Unavailable>
  }
>()("sheaf/identity/factors/Passkeys") {
  static readonly layer = ({ publicUrl }: { readonly publicUrl: string }) =>
    Layer.effect(
      Passkeys,
      Effect.gen(function* () {
        const { read, write: sql } = yield* Database
        const secrets = yield* Secrets
        const randomness = yield* Randomness
        const { hostname: rp_id, origin } = new URL(publicUrl)
        const refusal = refusalOf(publicUrl)

        /** Loaded when it is needed: it takes a third of a second, and 25 MB. */
        const library: Effect.Effect<Library, Conflict> =
          refusal === undefined
            ? Effect.promise(() => import("@simplewebauthn/server"))
            : Effect.fail(new Conflict({ code: "invalid_state", detail: `There are no passkeys here: ${refusal}` }))

        const challenge = () => randomness.bytes(32).toString("base64url")
        const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, "base64url"))

        /** Returns the challenge of an offer, once. */
        const held = Effect.fnUntraced(function* (token: string) {
          const text = secrets.open("factor-offer", token)
          const known = text === undefined ? undefined : decode(text)
          if (known === undefined || known._tag === "None") return yield* invalidPasskey
          const now = yield* Clock.currentTimeMillis
          if (Math.abs(now - known.value.begun_at) > offerLife) return yield* invalidPasskey
          if (!(yield* useOnce(sql, known.value.challenge, now + offerLife * 2))) return yield* invalidPasskey
          return known.value.challenge
        })

        const verify = traced("Passkeys.verify")(function* ({ credential, token }: PasskeyProof) {
          const { id: credential_id } = credential
          if (typeof credential_id !== "string" || !/^[\w-]{1,2000}$/.test(credential_id)) return yield* invalidPasskey
          const { verifyAuthenticationResponse } = yield* Effect.mapError(library, () => invalidPasskey)
          const [found] = yield* runSql<
            Pick<FactorRow, "credential_id" | "id" | "public_key" | "rp_id" | "user_id"> & {
              readonly workspace_id: WorkspaceId
              readonly counter: string
            }
          >(
            read,
            `SELECT workspace_id, id, user_id, credential_id, public_key, counter, rp_id FROM factors
              WHERE credential_id = $1`,
            [credential_id]
          )
          const challenge = yield* held(token)
          if (found === undefined || found.rp_id !== rp_id) return yield* invalidPasskey
          const verified = yield* Effect.tryPromise({
            try: () =>
              verifyAuthenticationResponse({
                response: credential as never,
                expectedChallenge: challenge,
                expectedOrigin: origin,
                expectedRPID: rp_id,
                requireUserVerification: true,
                credential: {
                  id: found.credential_id!,
                  publicKey: bytesOf(found.public_key!),
                  counter: Number(found.counter)
                }
              }),
            catch: () => invalidPasskey
          })
          if (!verified.verified) return yield* invalidPasskey
          return {
            workspace_id: found.workspace_id,
            user_id: found.user_id,
            id: found.id,
            counter: verified.authenticationInfo.newCounter
          }
        })

        return Passkeys.of({
          rp_id: refusal === undefined ? rp_id : undefined,
          creation: Effect.fnUntraced(function* (user, known) {
            const { generateRegistrationOptions } = yield* library
            const made = challenge()
            const options = yield* Effect.promise(() =>
              generateRegistrationOptions({
                rpName: "Sheaf",
                rpID: rp_id,
                userID: new Uint8Array(Buffer.from(user.id)),
                userName: user.email,
                userDisplayName: user.name,
                challenge: bytesOf(made),
                timeout: offerLife,
                supportedAlgorithmIDs: algorithms,
                excludeCredentials: known.map(({ credential_id, transports }) => ({
                  id: credential_id!,
                  transports: [...transports]
                })),
                authenticatorSelection: { residentKey: "required", userVerification: "required" }
              })
            )
            return { challenge: made, options: { ...options } }
          }),
          created: Effect.fnUntraced(function* (challenge, credential) {
            const wrong = Invalid.field("credential", "invalid", "is not a new passkey for this offer")
            const { verifyRegistrationResponse } = yield* Effect.mapError(library, () => wrong)
            const made = yield* Effect.tryPromise({
              try: () =>
                verifyRegistrationResponse({
                  response: credential as never,
                  expectedChallenge: challenge,
                  expectedOrigin: origin,
                  expectedRPID: rp_id,
                  requireUserVerification: true,
                  supportedAlgorithmIDs: algorithms
                }),
              catch: () => wrong
            })
            if (!made.verified) return yield* wrong
            const { counter, id, publicKey, transports = [] } = made.registrationInfo.credential
            const known = transports.filter((each) => /^[a-z-]{1,20}$/.test(each)).slice(0, 10)
            return {
              credential_id: id,
              public_key: Buffer.from(publicKey).toString("base64url"),
              counter,
              rp_id,
              transports: known
            }
          }),
          offer: Effect.gen(function* () {
            const { generateAuthenticationOptions } = yield* library
            const made = challenge()
            const options = yield* Effect.promise(() =>
              generateAuthenticationOptions({
                rpID: rp_id,
                challenge: bytesOf(made),
                timeout: offerLife,
                userVerification: "required"
              })
            )
            const begun_at = yield* Clock.currentTimeMillis
            return {
              token: secrets.seal("factor-offer", encode({ challenge: made, begun_at })),
              options: { ...options }
            }
          }),
          verify
        })
      })
    )
}

/** Stores the use of a passkey in a locked draft of its user's personal workspace. Fails if it was removed meanwhile. */
export const use = Effect.fnUntraced(function* (draft: LockedDraft, { counter, id }: Used) {
  const row = yield* draft.get(factors, id)
  if (row === undefined) return yield* invalidPasskey
  draft.put(factors, { ...row, counter, last_used_at: draft.now })
})
