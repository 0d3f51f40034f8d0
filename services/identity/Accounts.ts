import { Clock, Context, Effect, Layer, Redacted } from "effect"
import {
  type Condition,
  Conflict,
  type Expired,
  Forbidden,
  Invalid,
  NotFound,
  type RateLimited,
  Stale,
  Unauthorized,
  type Unavailable
} from "../Errors.ts"
import { Throttles } from "../limits/Throttles.ts"
import * as Letters from "../notifier/Letters.ts"
import { Mails } from "../notifier/Mails.ts"
import * as Ids from "../Ids.ts"
import { Principal, type PrincipalShape } from "../Principal.ts"
import { orConflict } from "../storage/Conflicts.ts"
import { Database, orUnavailable } from "../storage/Database.ts"
import type { Draft } from "../storage/Draft.ts"
import * as Trail from "../storage/Trail.ts"
import { actorOf, Writer } from "../storage/Writer.ts"
import { traced } from "../Traced.ts"
import { Invitations } from "../workspaces/Invitations.ts"
import { Plans } from "../workspaces/Plans.ts"
import { emailKey } from "../Email.ts"
import { Passwords } from "./Passwords.ts"
import { type UserRow, users } from "./Rows.ts"
import type { PasswordChange, PasswordReset, Register, TokenAnswer } from "./Session.ts"
import { type Origin, wrongPassword } from "./Sessions.ts"
import * as SessionTokens from "./SessionTokens.ts"
import * as Tokens from "../Tokens.ts"
import type { User, UserUpdate } from "./User.ts"
import { emailTaken, Users } from "./Users.ts"

/** A password can be reset so long after it was said to be forgotten (contract 4). */
const resetLife = 3600_000

const closed = new Forbidden({ code: "sign_up_closed", detail: "Only who has been invited can register here" })
const invalidToken = new Unauthorized({ code: "invalid_token", detail: "The token is not valid, or was used before" })
const expiredToken = new Unauthorized({ code: "token_expired", detail: "The token has expired: ask for another one" })
const missing = NotFound.of("user")
const stale = new Stale({ code: "precondition_failed", detail: "The user has changed since", current_version: 0 })

const isUnauthorized = (error: { readonly _tag: string }): boolean => error._tag === "Unauthorized"

/** What people do with their own account (contract 4). */
export class Accounts extends Context.Service<Accounts, {
  readonly register: (
    input: Register,
    origin: Origin
  ) => Effect.Effect<TokenAnswer, Invalid | Conflict | Forbidden | NotFound | Expired | Unavailable>
  /** Ends all other sessions of the caller. */
  readonly changePassword: (
    input: PasswordChange
  ) => Effect.Effect<void, Unauthorized | RateLimited | NotFound | Unavailable, Principal>
  /** Mails a one-time token to the address, should it have an account: nobody learns from the answer whether it has. */
  readonly forgotPassword: (email: string, origin: Origin) => Effect.Effect<void, Unavailable>
  /** Ends all sessions of whoever the token was sent to. */
  readonly resetPassword: (
    input: PasswordReset,
    origin: Origin
  ) => Effect.Effect<void, Unauthorized | RateLimited | NotFound | Unavailable>
  readonly get: Effect.Effect<User, NotFound | Unavailable, Principal>
  readonly update: (
    input: UserUpdate,
    condition?: Condition<User>
  ) => Effect.Effect<
    User,
    Invalid | Conflict | Stale | Forbidden | Unauthorized | RateLimited | NotFound | Unavailable,
    Principal
  >
}>()("sheaf/identity/Accounts") {
  static readonly layer = (options: { readonly publicUrl: string }) =>
    Layer.effect(
      Accounts,
      Effect.gen(function*() {
        const { read, write: sql } = yield* Database
        const writer = yield* Writer
        const passwords = yield* Passwords
        const throttles = yield* Throttles
        const plans = yield* Plans
        const userRows = yield* Users
        const invitations = yield* Invitations
        const mails = yield* Mails

        const readUser = Effect.fnUntraced(function*(id: string) {
          const [user] = yield* orUnavailable(
            read.unsafe<UserRow>(`SELECT ${users.columnList} FROM users WHERE id = $1`, [id])
          )
          return user ?? (yield* missing)
        })

        /** The invitation that somebody registers with: it is for their address. */
        const invited = Effect.fnUntraced(function*(token: string | undefined, email: string) {
          const isOpen = plans.signUp === "open"
          if (token === undefined) return isOpen ? undefined : yield* closed
          const found = yield* Effect.mapError(invitations.find(token), (error) =>
            isOpen || error._tag === "Unavailable" ? error : closed)
          if (found.email_key === emailKey(email)) return token
          return yield* isOpen
            ? new Conflict({ code: "invalid_state", detail: "The invitation was made for another e-mail address" })
            : closed
        })

        const register = traced("Accounts.register")(function*(input: Register, origin: Origin) {
          const token = yield* invited(input.invitation_token, input.email)
          const taken = yield* orUnavailable(
            read.unsafe("SELECT 1 AS found FROM users WHERE email_key = $1", [emailKey(input.email)])
          )
          if (taken.length > 0) return yield* emailTaken
          const password_hash = yield* passwords.hash(input.password)
          const name = input.name ?? [...input.email.slice(0, input.email.lastIndexOf("@"))].slice(0, 100).join("")
          const { also: answer, user } = yield* userRows.create(
            {
              email: input.email,
              name,
              locale: input.locale ?? "en",
              timezone: input.timezone ?? "UTC",
              password_hash,
              workspace: { name: "Personal", slug: `personal-${Ids.random(12).toLowerCase()}`, plan: "free", seats: 1 }
            },
            { ...origin, device_id: null },
            (draft, user) => SessionTokens.start(draft, user, input.device ?? {})
          )
          // From here on there is an account: should this fail, who signs in can still accept.
          if (token !== undefined) {
            yield* invitations.accept(token, user, { ...origin, user_id: user.id, device_id: answer.device_id })
          }
          return answer
        })

        /** Runs what needs the caller's password, once that is proven. */
        const proven = Effect.fnUntraced(function*(principal: PrincipalShape, password: string) {
          const user = yield* readUser(principal.user_id)
          const checked = Effect.flatMap(passwords.verify(password, user.password_hash), (isRight) =>
            isRight ? Effect.void : Effect.fail(wrongPassword))
          yield* throttles.logIn(user.email_key, principal.ip, checked)
          return user
        })

        const endSessions = Effect.fnUntraced(function*(draft: Draft, user_id: string, except: string, reason: string) {
          for (const session of yield* SessionTokens.sessionsOf(draft, user_id)) {
            if (session.id !== except) SessionTokens.end(draft, session, reason)
          }
        })

        /** Tokens that were mailed are good no longer. In a locked draft. */
        const forgetResets = (draft: Draft, user_id: string) =>
          Effect.orDie(draft.sql.unsafe("DELETE FROM password_resets WHERE workspace_id = $1 AND user_id = $2", [
            draft.workspace_id,
            user_id
          ]))

        const changePassword = traced("Accounts.changePassword")(function*(input: PasswordChange) {
          const principal = yield* Principal
          const proved = yield* proven(principal, input.current_password)
          const password_hash = yield* passwords.hash(input.new_password)
          yield* writer.write(
            principal.home_id,
            { actor: actorOf(principal), locked: true },
            Effect.fnUntraced(function*(draft: Draft) {
              const user = yield* draft.get(users, principal.user_id)
              // Another one was set meanwhile.
              if (user?.password_hash !== proved.password_hash) return yield* wrongPassword
              draft.put(users, { ...user, password_hash })
              yield* endSessions(draft, user.id, principal.credential_id, "password_changed")
              yield* forgetResets(draft, user.id)
              Trail.audit(draft, { action: "auth.password_changed", resource: "user", resource_id: user.id })
            })
          )
        })

        const forgotPassword = traced("Accounts.forgotPassword")(function*(email: string, origin: Origin) {
          const key = emailKey(email)
          const isSent = yield* throttles.mail(key, origin.ip)
          const now = yield* Clock.currentTimeMillis
          const token = Tokens.make("sfp")
          const mail = mails.row(
            Letters.passwordReset({ token: Redacted.value(token), publicUrl: options.publicUrl }),
            now
          )
          // One statement, whether there is such an account or not.
          yield* orUnavailable(sql.unsafe(
            `WITH found AS (SELECT workspace_id, id, email FROM users WHERE email_key = $1 AND $2::boolean),
            reset AS (
              INSERT INTO password_resets (workspace_id, hash, user_id, expires_at, created_at)
              SELECT workspace_id, $3, id, $4, $5 FROM found
            )
            INSERT INTO mails (workspace_id, id, recipient, sealed, attempts, next_at, created_at)
            SELECT workspace_id, $6, email, $7, $8::int, $9, $10 FROM found`,
            [
              key,
              isSent,
              Tokens.digest(token),
              new Date(now + resetLife).toISOString(),
              new Date(now).toISOString(),
              mail.id,
              mail.sealed,
              String(mail.attempts),
              mail.next_at,
              mail.created_at
            ]
          ))
          yield* mails.wake
        })

        const reset = Effect.fnUntraced(function*(input: PasswordReset, origin: Origin) {
          if (!Tokens.isWellFormed("sfp", input.token)) return yield* invalidToken
          const hash = Tokens.digestOf(input.token)
          const [found] = yield* orUnavailable(
            read.unsafe<{ readonly workspace_id: string; readonly user_id: string; readonly expires_at: string }>(
              "SELECT workspace_id, user_id, expires_at FROM password_resets WHERE hash = $1",
              [hash]
            )
          )
          if (found === undefined) return yield* invalidToken
          const now = yield* Clock.currentTimeMillis
          if (Date.parse(found.expires_at) <= now) return yield* expiredToken
          const password_hash = yield* passwords.hash(input.new_password)
          const actor = { ...origin, user_id: found.user_id, device_id: null }
          yield* writer.write(
            found.workspace_id,
            { actor, locked: true },
            Effect.fnUntraced(function*(draft: Draft) {
              const user = yield* draft.get(users, found.user_id)
              const held = yield* Effect.orDie(draft.sql.unsafe(
                "SELECT 1 AS found FROM password_resets WHERE workspace_id = $1 AND hash = $2",
                [draft.workspace_id, hash]
              ))
              if (user === undefined || held.length === 0) return yield* invalidToken
              yield* forgetResets(draft, user.id)
              draft.put(users, { ...user, password_hash })
              yield* endSessions(draft, user.id, "", "password_reset")
              Trail.audit(draft, { action: "auth.password_reset", resource: "user", resource_id: user.id })
            })
          )
        })

        const update = traced("Accounts.update")(function*(input: UserUpdate, condition?: Condition<User>) {
          const principal = yield* Principal
          const user = yield* readUser(principal.user_id)
          const isNewAddress = input.email !== undefined && input.email !== user.email
          if (isNewAddress) {
            if (principal.kind !== "session") {
              return yield* new Forbidden({
                code: "insufficient_scope",
                detail: "An API key cannot change the e-mail address",
                extra: { required_scopes: [] }
              })
            }
            if (input.current_password === undefined) {
              return yield* Invalid.field("current_password", "required", "is required to change the e-mail address")
            }
            yield* proven(principal, input.current_password)
          }
          const changed = yield* writer.write(
            principal.home_id,
            { actor: actorOf(principal), locked: true },
            Effect.fnUntraced(function*(draft: Draft) {
              const before = yield* draft.get(users, principal.user_id)
              if (before === undefined) return yield* missing
              if (condition?.(SessionTokens.userOf(before)) === false) return yield* stale
              const after: UserRow = {
                ...before,
                name: input.name ?? before.name,
                locale: input.locale ?? before.locale,
                timezone: input.timezone ?? before.timezone,
                ...(isNewAddress ? { email: input.email!, email_key: emailKey(input.email!) } : {})
              }
              draft.put(users, after)
              if (after.email !== before.email) {
                yield* forgetResets(draft, before.id)
                mails.put(draft, before.email, Letters.emailChanged({
                  email: after.email,
                  changed_at: draft.now,
                  publicUrl: options.publicUrl
                }))
                Trail.audit(draft, { action: "auth.email_changed", resource: "user", resource_id: before.id })
              }
              return SessionTokens.userOf(after)
            })
          ).pipe(orConflict("users_email_key_key", emailTaken))
          if (isNewAddress) yield* mails.wake
          return changed
        })

        return Accounts.of({
          register,
          changePassword,
          forgotPassword,
          resetPassword: traced("Accounts.resetPassword")((input: PasswordReset, origin: Origin) =>
            Effect.tapError(reset(input, origin), (error) =>
              isUnauthorized(error) ? throttles.failedAuthentication(origin.ip) : Effect.void)
          ),
          get: Effect.flatMap(Principal, ({ user_id }) => Effect.map(readUser(user_id), SessionTokens.userOf)),
          update
        })
      })
    )
}
