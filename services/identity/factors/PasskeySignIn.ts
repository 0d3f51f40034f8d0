import { Context, Effect, Layer } from "effect"
import {
  type Conflict,
  type Forbidden,
  type Invalid,
  type NotFound,
  type RateLimited,
  type Unauthorized,
  type Unavailable
} from "../../Errors.ts"
import { Throttles } from "../../limits/Throttles.ts"
import { traced } from "../../Traced.ts"
import { lockUser } from "../Users.ts"
import type { LockedDraft } from "../../writer/LockedDraft.ts"
import { Writer } from "../../writer/Writer.ts"
import { suspended } from "../Credentials.ts"
import type { PasskeyLogIn, TokenResponse } from "../Session.ts"
import type { Origin } from "../Sessions.ts"
import { makeSignIn } from "../SignIn.ts"
import type { PasskeyOffer } from "./Factor.ts"
import { invalidPasskey, Passkeys, use } from "./Passkeys.ts"

/** Sign-in by a passkey alone, also while passwords are switched off (contract 4, Second factors). */
export class PasskeySignIn extends Context.Service<
  PasskeySignIn,
  {
    readonly offer: (origin: Origin) => Effect.Effect<PasskeyOffer, Conflict | RateLimited>
    readonly logIn: (
      input: PasskeyLogIn,
      origin: Origin
    ) => Effect.Effect<TokenResponse, Unauthorized | Forbidden | RateLimited | Invalid | NotFound | Unavailable>
  }
>()("sheaf/identity/factors/PasskeySignIn") {
  static readonly layer = Layer.effect(
    PasskeySignIn,
    Effect.gen(function* () {
      const writer = yield* Writer
      const passkeys = yield* Passkeys
      const throttles = yield* Throttles
      const startSession = yield* makeSignIn

      return PasskeySignIn.of({
        offer: traced("PasskeySignIn.offer")(({ ip }: Origin) =>
          Effect.andThen(throttles.authorization(ip), passkeys.offer)
        ),
        logIn: traced("PasskeySignIn.logIn")(function* ({ device = {}, ...proof }: PasskeyLogIn, origin: Origin) {
          const used = yield* throttles.credential(origin.ip, passkeys.verify(proof))
          return yield* writer.writeLocked(
            used.workspace_id,
            { actor: { ...origin, user_id: used.user_id, device_id: null } },
            Effect.fnUntraced(function* (draft: LockedDraft) {
              const user = yield* lockUser(draft, used.user_id)
              if (user === undefined) return yield* invalidPasskey
              if (user.suspended_at !== null) return yield* suspended
              yield* use(draft, used)
              return yield* startSession(draft, user, {
                device,
                by: { signed_in_by: "passkey", second_factor: null },
                data: { factor: used.id }
              })
            })
          )
        })
      })
    })
  )
}
