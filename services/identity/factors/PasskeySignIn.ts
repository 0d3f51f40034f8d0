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
import * as MailTemplates from "../../mail/MailTemplates.ts"
import { Secrets } from "../../secrets/Secrets.ts"
import { traced } from "../../Traced.ts"
import { Plans } from "../../workspaces/Plans.ts"
import { lockUser } from "../Users.ts"
import * as AuditTrail from "../../writer/AuditTrail.ts"
import type { LockedDraft } from "../../writer/LockedDraft.ts"
import { Writer } from "../../writer/Writer.ts"
import { suspended } from "../Credentials.ts"
import { settled } from "../FirstSignIn.ts"
import { SecurityMails } from "../SecurityMails.ts"
import type { PasskeyLogIn, TokenResponse } from "../Session.ts"
import type { Origin } from "../Sessions.ts"
import * as SessionTokens from "../SessionTokens.ts"
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
      const secrets = yield* Secrets
      const securityMails = yield* SecurityMails
      const { limits } = yield* Plans

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
              const started = yield* SessionTokens.start(
                draft,
                secrets,
                yield* settled(draft, user, device),
                device,
                limits,
                { signed_in_by: "passkey", second_factor: null, id_token: null }
              )
              if (started.isNew) yield* securityMails.put(draft, user.id, MailTemplates.signedIn(started.device))
              AuditTrail.audit(draft, {
                action: "auth.logged_in",
                resource: "session",
                resource_id: started.tokens.session_id,
                data: { factor: used.id }
              })
              return started.tokens
            })
          )
        })
      })
    })
  )
}
