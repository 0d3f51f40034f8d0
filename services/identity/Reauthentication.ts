import { Clock, Context, Effect, Layer } from "effect"
import { Forbidden, Invalid, NotFound, type RateLimited, Unauthorized, type Unavailable } from "../Errors.ts"
import { Throttles } from "../limits/Throttles.ts"
import { Principal, type PrincipalShape } from "../Principal.ts"
import { Database, runSql } from "../database/Database.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { traced } from "../Traced.ts"
import { actorOf } from "../writer/Actor.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { Writer } from "../writer/Writer.ts"
import { CodeAttempts } from "./factors/CodeAttempts.ts"
import { invalidPasskey, Passkeys, use } from "./factors/Passkeys.ts"
import * as SecondFactors from "./factors/SecondFactors.ts"
import { Passwords, wrongPassword } from "./Passwords.ts"
import { readUser } from "./Users.ts"
import { PasswordSignIn } from "./PasswordSignIn.ts"
import type { SecondFactor, UserRow } from "./IdentityTables.ts"
import type { Confirm } from "./Session.ts"

/** Milliseconds for which a sign-in or a correct password counts: 15 minutes (contract 4, tokens). */
const validFor = 15 * 60_000

const required = new Forbidden({
  code: "reauthentication_required",
  detail:
    "The last sign-in was more than 15 minutes ago: send the request again with current_password, or confirm with another factor"
})
const ended = new Unauthorized({ code: "invalid_token", detail: "The credential was revoked" })

type Wrong = Unauthorized | RateLimited | NotFound | Unavailable

/**
 * Sessions live for months. Requests by which a thief of a session could keep access or take all data therefore need a
 * recent sign-in or the password (contract 4, tokens; OWASP ASVS 3.7.1).
 */
export class Reauthentication extends Context.Service<
  Reauthentication,
  {
    /**
     * Refuses a session whose user has not signed in or sent the correct password within 15 minutes. `current_password`
     * is that member of the request. API keys pass.
     */
    readonly need: (current_password: string | undefined) => Effect.Effect<void, Wrong | Forbidden, Principal>
    /**
     * Verifies the caller's password, throttled like a log-in, and stores the time in the session. A user without a password
     * needs a recent sign-in instead. Returns the user.
     */
    readonly prove: (
      principal: PrincipalShape,
      password: string | undefined
    ) => Effect.Effect<UserRow, Wrong | Forbidden | Invalid>
    /** Takes any factor of the caller, which counts as a recent sign-in. A second factor completes the session. */
    readonly confirm: (input: Confirm) => Effect.Effect<void, Wrong | Invalid, Principal>
  }
>()("sheaf/identity/Reauthentication") {
  static readonly layer = Layer.effect(
    Reauthentication,
    Effect.gen(function* () {
      const { read, write: sql } = yield* Database
      const passwords = yield* Passwords
      const throttles = yield* Throttles
      const passwordSignIn = yield* PasswordSignIn
      const writer = yield* Writer
      const secrets = yield* Secrets
      const passkeys = yield* Passkeys
      const codeAttempts = yield* CodeAttempts

      const needRecent = Effect.fnUntraced(function* (principal: PrincipalShape) {
        const [session] = yield* runSql<{ readonly authenticated_at: string }>(
          read,
          "SELECT authenticated_at FROM sessions WHERE workspace_id = $1 AND id = $2",
          [principal.home_id, principal.credential_id]
        )
        if (session === undefined) return yield* ended
        const now = yield* Clock.currentTimeMillis
        if (now - Date.parse(session.authenticated_at) > validFor) return yield* required
      })

      const verify = Effect.fnUntraced(function* (principal: PrincipalShape, user: UserRow, password: string) {
        const checked = throttles.passwordClient(principal.ip, principal.user_id).pipe(
          Effect.flatMap((client) => passwords.verify(password, user.password_hash, client)),
          Effect.flatMap((isRight) => (isRight ? Effect.void : Effect.fail(wrongPassword)))
        )
        yield* throttles.logIn(user.email_key, principal.ip, checked)
        const now = new Date(yield* Clock.currentTimeMillis).toISOString()
        // A refresh at the same moment may undo this: then the next request needs the password again.
        yield* runSql(sql, "UPDATE sessions SET authenticated_at = $3 WHERE workspace_id = $1 AND id = $2", [
          principal.home_id,
          principal.credential_id,
          now
        ])
      })

      /** Stores that the user is present, by a second factor that `use` uses: then the session has two. */
      const present = (
        principal: PrincipalShape,
        use: (draft: LockedDraft) => Effect.Effect<SecondFactor, Unauthorized>
      ) =>
        writer.writeLocked(
          principal.home_id,
          { actor: actorOf(principal) },
          Effect.fnUntraced(function* (draft: LockedDraft) {
            const by = yield* use(draft)
            if (!(yield* SecondFactors.confirm(draft, principal.credential_id, by))) return yield* ended
            // Cached credentials have one factor.
            draft.changesAccess = true
          })
        )

      const confirm = Effect.fnUntraced(function* (input: Confirm) {
        const principal = yield* Principal
        const { code, current_password, passkey } = input
        if ([code, current_password, passkey].filter((each) => each !== undefined).length !== 1) {
          return yield* new Invalid({
            code: "validation_failed",
            detail: "Send exactly one of current_password, code and passkey"
          })
        }
        if (code !== undefined) {
          const used = present(principal, (draft) => SecondFactors.useCode(draft, secrets, principal.user_id, code))
          const { home_id: workspace_id, user_id: id } = principal
          return yield* codeAttempts.guarded({ id, workspace_id }, actorOf(principal), used)
        }
        if (passkey !== undefined) {
          const used = yield* throttles.credential(principal.ip, passkeys.verify(passkey))
          if (used.user_id !== principal.user_id) return yield* invalidPasskey
          return yield* present(principal, (draft) => Effect.as(use(draft, used), "passkey" as const))
        }
        yield* verify(principal, yield* readUser(read, principal.user_id), current_password!)
      })

      const prove = Effect.fnUntraced(function* (principal: PrincipalShape, password: string | undefined) {
        const user = yield* readUser(read, principal.user_id)
        if (password !== undefined) yield* verify(principal, user, password)
        else if (user.password_hash === null || (yield* passwordSignIn.isOff)) yield* needRecent(principal)
        else return yield* Invalid.field("current_password", "required", "is required")
        return user
      })

      return Reauthentication.of({
        prove: traced("Reauthentication.prove")(prove),
        confirm: traced("Reauthentication.confirm")(confirm),
        need: traced("Reauthentication.need")(function* (current_password: string | undefined) {
          const principal = yield* Principal
          if (principal.kind === "api_key") return
          if (current_password === undefined) return yield* needRecent(principal)
          const user = yield* readUser(read, principal.user_id)
          yield* verify(principal, user, current_password)
        })
      })
    })
  )
}
