import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { Accounts } from "../../../../../services/identity/Accounts.ts"
import { PasskeySignIn } from "../../../../../services/identity/factors/PasskeySignIn.ts"
import { Reauthentication } from "../../../../../services/identity/Reauthentication.ts"
import { Registrations } from "../../../../../services/identity/registrations/Registrations.ts"
import { Recovery } from "../../../../../services/identity/Recovery.ts"
import type { TokenResponse } from "../../../../../services/identity/Session.ts"
import { type Origin, Sessions } from "../../../../../services/identity/Sessions.ts"
import { Providers } from "../../../../../services/oidc/Providers.ts"
import { origin } from "../../server/ClientAddress.ts"
import * as Handlers from "../Handlers.ts"
import * as Respond from "../../responses/Respond.ts"

/** Starts or renews a session for the origin of the request. No cache may store the tokens (RFC 6749, section 5.1). */
const signedIn = <E, R>(run: (from: Origin) => Effect.Effect<TokenResponse, E, R>) =>
  Effect.map(Effect.flatMap(origin, run), (tokens) => Respond.secret(tokens))

const changed = Respond.value({ changed: true })

export const AuthHttp = Handlers.group(
  "auth",
  {
    accounts: Accounts,
    passkeys: PasskeySignIn,
    providers: Providers,
    reauthentication: Reauthentication,
    recovery: Recovery,
    registrations: Registrations,
    sessions: Sessions
  },
  ({ accounts, passkeys, providers, reauthentication, recovery, registrations, sessions }) => ({
    register: ({ payload }) =>
      Effect.zipWith(
        Effect.flatMap(origin, (from) => registrations.register(payload, from)),
        Respond.PublicUrl,
        (body, publicUrl) => HttpServerResponse.setHeader(Respond.secret(body, 201), "location", `${publicUrl}/v2/me`)
      ),
    logIn: ({ payload }) => signedIn((from) => sessions.logIn(payload, from)),
    offerPasskey: () => Effect.map(Effect.flatMap(origin, passkeys.offer), (offer) => Respond.secret(offer)),
    logInByPasskey: ({ payload }) => signedIn((from) => passkeys.logIn(payload, from)),
    confirm: ({ payload }) => Effect.as(reauthentication.confirm(payload), Respond.value({ confirmed: true })),
    refresh: ({ payload }) => signedIn((from) => sessions.refresh(payload.refresh_token, from)),
    logOut: Effect.fnUntraced(function* () {
      const { id, id_token } = yield* sessions.logOut()
      const sign_out_url = id_token === undefined ? undefined : yield* providers.signOut(id_token)
      return Respond.value({ deleted: true, id, ...(sign_out_url === undefined ? {} : { sign_out_url }) })
    }),
    changePassword: ({ payload }) => Effect.as(accounts.changePassword(payload), changed),
    forgotPassword: ({ payload }) =>
      Effect.as(
        Effect.flatMap(origin, (from) => recovery.forgotPassword(payload.email, from)),
        Respond.value({ accepted: true })
      ),
    resetPassword: ({ payload }) =>
      Effect.as(
        Effect.flatMap(origin, (from) => recovery.resetPassword(payload, from)),
        changed
      )
  })
)
