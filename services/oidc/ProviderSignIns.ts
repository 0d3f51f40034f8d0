import { Clock, Context, Effect, Layer, Schema } from "effect"
import { Database } from "../database/Database.ts"
import type { SheafError } from "../Errors.ts"
import type { WorkspaceId } from "../Ids.ts"
import type { UserRow } from "../identity/IdentityTables.ts"
import * as SecondFactors from "../identity/factors/SecondFactors.ts"
import { SecurityMails } from "../identity/SecurityMails.ts"
import { useOnce } from "../identity/factors/UsedSignIns.ts"
import type { Origin } from "../identity/Sessions.ts"
import { Throttles } from "../limits/Throttles.ts"
import { Randomness } from "../Randomness.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { traced } from "../Traced.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { Writer } from "../writer/Writer.ts"
import * as IdentityEdits from "./IdentityEdits.ts"
import { findIdentity, raced, writeFor } from "./KnownIdentities.ts"
import { type Claims, type Provider, SignInRefused } from "./Provider.ts"
import { type Entered, ProviderEntries } from "./ProviderEntries.ts"
import { Providers } from "./Providers.ts"
import { type Purpose, type SignInState, signInLife, SignInStateJson } from "./SignInState.ts"

/** What a browser is sent to the provider with. */
export interface Begun {
  readonly redirect_url: string
  /** The value of the cookie that the browser has to bring back. */
  readonly cookie: string
}

/** What a sign-in has done. */
export type Done = ({ readonly kind: "signed-in" } & Entered) | { readonly kind: "connected" | "confirmed" }

type Present = Extract<Purpose, { readonly kind: "connect" | "confirm" }>

const encode = Schema.encodeSync(SignInStateJson)
const decode = Schema.decodeUnknownOption(SignInStateJson)

/** Sign-in by OpenID providers (contract 4). An account is known by issuer and subject, never by an address. */
export class ProviderSignIns extends Context.Service<
  ProviderSignIns,
  {
    readonly begin: (
      provider: number,
      purpose: Purpose,
      origin: Pick<Origin, "ip">
    ) => Effect.Effect<Begun, SignInRefused | SheafError>
    /** Completes a sign-in with the query and the cookie of the browser that comes back. */
    readonly complete: (
      provider: number,
      query: URLSearchParams,
      cookie: string | undefined,
      origin: Origin
    ) => Effect.Effect<Done, SignInRefused | SheafError>
  }
>()("sheaf/oidc/ProviderSignIns") {
  static readonly layer = Layer.effect(
    ProviderSignIns,
    Effect.gen(function* () {
      const { read, write: sql } = yield* Database
      const writer = yield* Writer
      const providers = yield* Providers
      const entries = yield* ProviderEntries
      const secrets = yield* Secrets
      const throttles = yield* Throttles
      const securityMails = yield* SecurityMails
      const randomness = yield* Randomness

      const begin = traced("ProviderSignIns.begin")(function* (
        number: number,
        purpose: Purpose,
        { ip }: Pick<Origin, "ip">
      ) {
        const provider = yield* providers.find(number)
        yield* throttles.authorization(ip)
        const binding = { state: randomness.text(30), nonce: randomness.text(30), verifier: randomness.text(60) }
        const redirect_url = yield* providers.authorize(provider, binding, purpose.kind === "confirm")
        const begun_at = yield* Clock.currentTimeMillis
        const cookie = secrets.seal("sign-in", encode({ provider: number, ...binding, begun_at, purpose }))
        return { redirect_url, cookie }
      })

      /** Returns the sign-in that this browser has begun, once. */
      const held = Effect.fnUntraced(function* (
        provider: Provider,
        query: URLSearchParams,
        cookie: string | undefined
      ) {
        const ended = new SignInRefused({ reason: "ended", provider: provider.name })
        const text = cookie === undefined ? undefined : secrets.open("sign-in", cookie)
        const state = text === undefined ? undefined : decode(text)
        if (state === undefined || state._tag === "None") return yield* ended
        const { value } = state
        const now = yield* Clock.currentTimeMillis
        const isPresent = Math.abs(now - value.begun_at) <= signInLife
        if (value.provider !== provider.number || value.state !== query.get("state") || !isPresent) return yield* ended
        return (yield* useOnce(sql, value.state, now + 2 * signInLife)) ? value : yield* ended
      })

      /** Completes what a signed-in user has begun. The session must not have ended. */
      const confirm = Effect.fnUntraced(function* (
        provider: Provider,
        claims: Claims,
        { kind, session_id, user_id, workspace_id }: Present,
        origin: Origin
      ) {
        const known = yield* findIdentity(read, claims)
        if (known !== undefined && known.user_id !== user_id) return yield* IdentityEdits.linkedElsewhere(provider)
        if (known === undefined && kind === "confirm") {
          return yield* new SignInRefused({ reason: "notLinked", provider: provider.name })
        }
        yield* writeFor(
          writer,
          { workspace_id: workspace_id as WorkspaceId, user_id },
          origin,
          Effect.fnUntraced(function* (draft: LockedDraft, user: UserRow) {
            // The user is present: that counts as a recent sign-in of the session (contract 4).
            const present = yield* draft.execute(
              `UPDATE sessions SET authenticated_at = $4 WHERE workspace_id = $1 AND id = $2 AND user_id = $3
                  AND app IS NULL AND expires_at > $4 RETURNING 1 AS found`,
              [draft.workspace_id, session_id, user_id, draft.now]
            )
            if (present.length === 0) return yield* new SignInRefused({ reason: "ended", provider: provider.name })
            if (known !== undefined) return
            // A provider counts as two factors.
            yield* SecondFactors.needTwo(draft, user_id, session_id)
            yield* IdentityEdits.link(draft, user, provider, claims, "session", securityMails)
          })
        )
        return { kind: kind === "connect" ? "connected" : "confirmed" } as const
      })

      const finish = (
        provider: Provider,
        claims: Claims,
        { purpose }: SignInState,
        origin: Origin
      ): Effect.Effect<Done, SignInRefused | SheafError> =>
        purpose.kind === "sign-in"
          ? Effect.map(entries.signIn(provider, claims, purpose, origin), (entered) => ({
              kind: "signed-in" as const,
              ...entered
            }))
          : confirm(provider, claims, purpose, origin)

      return ProviderSignIns.of({
        begin,
        complete: traced("ProviderSignIns.complete")(function* (
          number: number,
          query: URLSearchParams,
          cookie: string | undefined,
          origin: Origin
        ) {
          const provider = yield* providers.find(number)
          yield* throttles.authorization(origin.ip)
          const state = yield* held(provider, query, cookie)
          const since = state.purpose.kind === "confirm" ? state.begun_at : undefined
          const claims = yield* providers.redeem(provider, query, state, since)
          const done = finish(provider, claims, state, origin)
          // After a race, the second attempt finds what the other request has made.
          return yield* Effect.catchIf(
            done,
            (error) => error === raced,
            () => finish(provider, claims, state, origin)
          )
        })
      })
    })
  )
}
