import { Context, Effect, Layer } from "effect"
import {
  Conflict,
  type Expired,
  Forbidden,
  type Invalid,
  type NotFound,
  type RateLimited,
  type SheafError,
  type Unavailable
} from "../../Errors.ts"
import { Secrets } from "../../secrets/Secrets.ts"
import { Throttles } from "../../limits/Throttles.ts"
import { Outbox } from "../../mail/Outbox.ts"
import { Randomness } from "../../Randomness.ts"
import { Database, runSql } from "../../database/Database.ts"
import type { LockedDraft } from "../../writer/LockedDraft.ts"
import { traced } from "../../Traced.ts"
import { personal } from "../../workspaces/Founding.ts"
import { Invitations } from "../../workspaces/Invitations.ts"
import { Plans } from "../../workspaces/Plans.ts"
import { emailKey } from "../../Email.ts"
import { Confirmations } from "../Confirmations.ts"
import { Passwords } from "../Passwords.ts"
import { PasswordSignIn } from "../PasswordSignIn.ts"
import type { UserRow } from "../IdentityTables.ts"
import type { Register, TokenResponse } from "../Session.ts"
import type { Origin } from "../Sessions.ts"
import * as SessionTokens from "../SessionTokens.ts"
import { firstRegion, nameOf } from "../User.ts"
import { emailTaken, Users } from "../Users.ts"

const closed = new Forbidden({ code: "sign_up_closed", detail: "Only invited people can register on this server" })

/** A registration by a provider, which has authenticated the user. */
interface Enrollment extends Omit<Register, "password"> {
  /** Whether the provider has verified the address. */
  readonly is_verified: boolean
}

/** Registrations of new users (contract 4). */
export class Registrations extends Context.Service<
  Registrations,
  {
    readonly register: (
      input: Register,
      origin: Origin
    ) => Effect.Effect<TokenResponse, Invalid | Conflict | Forbidden | NotFound | Expired | RateLimited | Unavailable>
    /** Registers by an invitation without a sign-in. `unaccepted`: the error if the invitation could not be accepted. */
    readonly join: (
      input: Register,
      origin: Origin
    ) => Effect.Effect<
      { readonly unaccepted: SheafError | undefined },
      Invalid | Conflict | Forbidden | NotFound | Expired | RateLimited | Unavailable
    >
    /** Registers without a password, with the additions of `also`, which sign in. */
    readonly enrollByProvider: <E>(
      input: Enrollment,
      origin: Origin,
      also: (draft: LockedDraft, user: UserRow) => Effect.Effect<TokenResponse, E>
    ) => Effect.Effect<
      { readonly made: TokenResponse; readonly unaccepted: SheafError | undefined },
      E | Invalid | Conflict | Forbidden | NotFound | Expired | RateLimited | Unavailable
    >
  }
>()("sheaf/identity/registrations/Registrations") {
  static readonly layer = Layer.effect(
    Registrations,
    Effect.gen(function* () {
      const { read } = yield* Database
      const passwords = yield* Passwords
      const passwordSignIn = yield* PasswordSignIn
      const secrets = yield* Secrets
      const throttles = yield* Throttles
      const plans = yield* Plans
      const randomness = yield* Randomness
      const userRows = yield* Users
      const invitations = yield* Invitations
      const mails = yield* Outbox
      const confirmations = yield* Confirmations

      const isTaken = (email_key: string) =>
        Effect.map(
          runSql(read, "SELECT 1 AS found FROM users WHERE email_key = $1", [email_key]),
          ({ length }) => length > 0
        )

      /** Returns the invitation of a registration. It must be for the registered address. */
      const invited = Effect.fnUntraced(function* (token: string | undefined, email: string) {
        const isOpen = plans.signUp === "open"
        if (token === undefined) return isOpen ? undefined : yield* closed
        const found = yield* Effect.mapError(invitations.find(token), (error) =>
          isOpen || error._tag === "Unavailable" ? error : closed
        )
        if (found.email_key === emailKey(email)) return { token, is_mailed: found.is_mailed }
        return yield* isOpen
          ? new Conflict({ code: "invalid_state", detail: "The invitation is for another e-mail address" })
          : closed
      })

      /** Creates an account, with the additions of `also` in the same draft; then accepts the invitation, if any. */
      const enroll = Effect.fnUntraced(function* <A extends { readonly device_id: string | null }, E>(
        input: Register | Enrollment,
        origin: Origin,
        also: (draft: LockedDraft, user: UserRow) => Effect.Effect<A, E>
      ) {
        if ("password" in input) yield* passwordSignIn.need
        const invitation = yield* Effect.tapError(invited(input.invitation_token, input.email), () =>
          throttles.registration(origin.ip)
        )
        if (invitation === undefined) yield* throttles.registration(origin.ip)
        const email_key = emailKey(input.email)
        const name = input.name ?? nameOf(input.email)
        if ("password" in input) yield* passwords.checkNew("password", input.password, { email: input.email, name })
        if (yield* isTaken(email_key)) return yield* emailTaken
        const password_hash =
          "password" in input ? yield* passwords.hash(input.password, yield* throttles.passwordClient(origin.ip)) : null
        // The token was mailed to this address only, so the user reads its mail.
        const email_proven = "password" in input ? (invitation?.is_mailed ?? false) : input.is_verified
        const isOffered = !email_proven && (yield* Effect.isSuccess(throttles.confirmation(email_key)))
        const { also: made, user } = yield* userRows.create(
          {
            email: input.email,
            email_proven,
            name,
            ...firstRegion(input),
            password_hash,
            workspace: personal(randomness, input.name, "free")
          },
          { ...origin, device_id: null },
          (draft, user) => {
            if (isOffered) confirmations.offer(draft, user)
            return also(draft, user)
          }
        )
        if (isOffered) yield* mails.wake
        if (invitation === undefined) return { made, unaccepted: undefined }
        const actor = { ...origin, user_id: user.id, device_id: made.device_id }
        const unaccepted = yield* Effect.match(invitations.accept(invitation.token, user, actor), {
          onSuccess: () => undefined,
          onFailure: (error) => error
        })
        return { made, unaccepted }
      })

      const register = traced("Registrations.register")(function* (input: Register, origin: Origin) {
        const { made, unaccepted } = yield* enroll(input, origin, (draft, user) =>
          Effect.map(
            SessionTokens.start(draft, secrets, user, input.device ?? {}, plans.limits),
            ({ tokens }) => tokens
          )
        )
        // The account exists, and its tokens are returned: the user can still accept the invitation.
        if (unaccepted !== undefined) {
          yield* Effect.logWarning(`an invitation was not accepted at registration: ${unaccepted.code}`)
        }
        return made
      })

      return Registrations.of({
        register,
        join: traced("Registrations.join")((input: Register, origin: Origin) =>
          Effect.map(
            enroll(input, origin, () => Effect.succeed({ device_id: null })),
            ({ unaccepted }) => ({ unaccepted })
          )
        ),
        enrollByProvider: traced("Registrations.enrollByProvider")(enroll)
      })
    })
  )
}
