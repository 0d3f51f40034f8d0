import { Context, Effect, Layer } from "effect"
import {
  type Condition,
  Conflict,
  Forbidden,
  Invalid,
  NotFound,
  type RateLimited,
  type Stale,
  Unauthorized,
  type Unavailable
} from "../Errors.ts"
import { Throttles } from "../limits/Throttles.ts"
import * as MailTemplates from "../mail/MailTemplates.ts"
import { Outbox } from "../mail/Outbox.ts"
import { Principal } from "../Principal.ts"
import { orConflict } from "../database/UniqueViolations.ts"
import { Database, runSql } from "../database/Database.ts"
import { actorOf } from "../writer/Actor.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import { Writer } from "../writer/Writer.ts"
import { traced } from "../Traced.ts"
import { emailKey } from "../Email.ts"
import { isDeleted } from "./AccountDeletions.ts"
import { Confirmations, invalidateConfirmations } from "./Confirmations.ts"
import * as SecondFactors from "./factors/SecondFactors.ts"
import { Passwords, wrongPassword } from "./Passwords.ts"
import { type UserRow, users } from "./IdentityTables.ts"
import { Reauthentication } from "./Reauthentication.ts"
import { invalidateResets } from "./Recovery.ts"
import { SecurityMails } from "./SecurityMails.ts"
import type { PasswordChange } from "./Session.ts"
import * as SessionTokens from "./SessionTokens.ts"
import type { User, UserUpdate } from "./User.ts"
import { emailTaken, lockUser, readUser } from "./Users.ts"

const missing = NotFound.of("user")

/** Operations of users on their own accounts (contract 4). */
export class Accounts extends Context.Service<
  Accounts,
  {
    /** Ends all other sessions of the caller. */
    readonly changePassword: (
      input: PasswordChange
    ) => Effect.Effect<void, Unauthorized | Forbidden | Invalid | RateLimited | NotFound | Unavailable, Principal>
    readonly get: Effect.Effect<User, NotFound | Unavailable, Principal>
    readonly update: (
      input: UserUpdate,
      condition?: Condition<User>
    ) => Effect.Effect<
      User,
      Invalid | Conflict | Stale | Forbidden | Unauthorized | RateLimited | NotFound | Unavailable,
      Principal
    >
  }
>()("sheaf/identity/Accounts") {
  static readonly layer = (options: { readonly publicUrl: string }) =>
    Layer.effect(
      Accounts,
      Effect.gen(function* () {
        const { read } = yield* Database
        const writer = yield* Writer
        const passwords = yield* Passwords
        const throttles = yield* Throttles
        const mails = yield* Outbox
        const confirmations = yield* Confirmations
        const reauthentication = yield* Reauthentication
        const securityMails = yield* SecurityMails

        const isTaken = (email_key: string) =>
          Effect.map(
            runSql(read, "SELECT 1 AS found FROM users WHERE email_key = $1", [email_key]),
            ({ length }) => length > 0
          )

        const changePassword = traced("Accounts.changePassword")(function* (input: PasswordChange) {
          const principal = yield* Principal
          const proved = yield* reauthentication.prove(principal, input.current_password)
          yield* passwords.checkNew("new_password", input.new_password, proved)
          const password_hash = yield* passwords.hash(
            input.new_password,
            yield* throttles.passwordClient(principal.ip, principal.user_id)
          )
          yield* writer.writeLocked(
            principal.home_id,
            { actor: actorOf(principal) },
            Effect.fnUntraced(function* (draft: LockedDraft) {
              const user = yield* lockUser(draft, principal.user_id)
              // Another password was set meanwhile.
              if (user?.password_hash !== proved.password_hash) return yield* wrongPassword
              draft.put(users, { ...user, password_hash })
              yield* securityMails.put(draft, user.id, MailTemplates.passwordChanged)
              yield* SessionTokens.endAll(draft, user.id, "password_changed", principal.credential_id)
              yield* invalidateResets(draft, user.id)
              AuditTrail.audit(draft, { action: "auth.password_changed", resource: "user", resource_id: user.id })
            })
          )
        })

        const update = traced("Accounts.update")(function* (input: UserUpdate, condition?: Condition<User>) {
          const principal = yield* Principal
          const user = yield* readUser(read, principal.user_id)
          const isNewAddress = input.email !== undefined && input.email !== user.email
          const isSession = principal.kind === "session"
          const proved =
            isSession && (isNewAddress || input.current_password !== undefined)
              ? yield* reauthentication.prove(principal, input.current_password)
              : undefined
          if (isNewAddress) {
            if (!isSession) {
              return yield* new Forbidden({
                code: "insufficient_scope",
                detail: "An API key cannot change the e-mail address",
                extra: { required_scopes: [] }
              })
            }
            const email_key = emailKey(input.email)
            // Refused changes count too: they reveal which addresses have accounts.
            yield* throttles.confirmationRequested(principal.ip)
            if (email_key !== user.email_key && (yield* isTaken(email_key))) return yield* emailTaken
            yield* throttles.confirmation(email_key)
          }
          // An address that was never confirmed may belong to a person without any relation to the account.
          const isOldNotified = isNewAddress && user.email_proven && (yield* throttles.formerAddress(user.email_key))
          const changed = yield* writer
            .writeLocked(
              principal.home_id,
              { actor: actorOf(principal) },
              Effect.fnUntraced(function* (draft: LockedDraft) {
                const before = yield* lockUser(draft, principal.user_id)
                if (before === undefined || (yield* isDeleted(draft, before.id))) return yield* missing
                // Another password was set meanwhile, which ended the sessions.
                if (isNewAddress && before.password_hash !== proved?.password_hash) return yield* wrongPassword
                // A reset of the password of an address that was never proven ends the factors.
                if (isNewAddress) yield* SecondFactors.needTwo(draft, before.id, principal.credential_id)
                if (condition !== undefined) yield* condition(SessionTokens.userOf(before))
                const after: UserRow = {
                  ...before,
                  name: input.name ?? before.name,
                  locale: input.locale ?? before.locale,
                  timezone: input.timezone ?? before.timezone,
                  security_mails: input.security_mails ?? before.security_mails,
                  ...(isNewAddress
                    ? { email: input.email!, email_key: emailKey(input.email!), email_proven: false }
                    : {})
                }
                draft.put(users, after)
                // Without this mail the user would not notice what a thief of a session does next.
                if (before.security_mails && !after.security_mails) {
                  yield* securityMails.put(draft, before.id, MailTemplates.mailsSwitchedOff)
                }
                if (after.email !== before.email) {
                  yield* invalidateResets(draft, before.id)
                  yield* invalidateConfirmations(draft, before.id)
                  confirmations.offer(draft, after)
                  if (isOldNotified && before.email_proven) {
                    mails.put(
                      draft,
                      before.email,
                      MailTemplates.emailChanged({
                        email: after.email,
                        locale: after.locale,
                        changed_at: draft.now,
                        publicUrl: options.publicUrl
                      })
                    )
                  }
                  AuditTrail.audit(draft, { action: "auth.email_changed", resource: "user", resource_id: before.id })
                }
                return SessionTokens.userOf(after)
              })
            )
            .pipe(orConflict("users_email_key_key", emailTaken))
          if (isNewAddress) yield* mails.wake
          return changed
        })

        return Accounts.of({
          changePassword,
          get: Effect.flatMap(Principal, ({ user_id }) => Effect.map(readUser(read, user_id), SessionTokens.userOf)),
          update
        })
      })
    )
}
