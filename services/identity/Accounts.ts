import { Context, Effect, Layer } from "effect"
import {
  type Condition,
  Conflict,
  type Expired,
  Forbidden,
  Invalid,
  NotFound,
  type RateLimited,
  type SheafError,
  type Stale,
  Unauthorized,
  type Unavailable
} from "../Errors.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { Throttles } from "../limits/Throttles.ts"
import * as MailTemplates from "../mail/MailTemplates.ts"
import { Outbox } from "../mail/Outbox.ts"
import { Principal } from "../Principal.ts"
import { Randomness } from "../Randomness.ts"
import { orConflict } from "../database/UniqueViolations.ts"
import { Database, orUnavailable } from "../database/Database.ts"
import { actorOf } from "../writer/Actor.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import { Writer } from "../writer/Writer.ts"
import { traced } from "../Traced.ts"
import { personal } from "../workspaces/Founding.ts"
import { Invitations } from "../workspaces/Invitations.ts"
import { Plans } from "../workspaces/Plans.ts"
import { holdUser } from "../workspaces/RoleChecks.ts"
import { emailKey } from "../Email.ts"
import { isDeleted } from "./AccountDeletions.ts"
import { Confirmations, invalidateConfirmations } from "./Confirmations.ts"
import { Passwords } from "./Passwords.ts"
import { type UserRow, users } from "./IdentityTables.ts"
import { Reauthentication } from "./Reauthentication.ts"
import { invalidateResets } from "./Recovery.ts"
import { SecurityMails } from "./SecurityMails.ts"
import type { PasswordChange, Register, TokenResponse } from "./Session.ts"
import { type Origin, wrongPassword } from "./Sessions.ts"
import * as SessionTokens from "./SessionTokens.ts"
import { firstRegion, nameOf, type User, type UserUpdate } from "./User.ts"
import { emailTaken, Users } from "./Users.ts"

const closed = new Forbidden({ code: "sign_up_closed", detail: "Only invited people can register on this server" })
const missing = NotFound.of("user")

/** Operations of users on their own accounts (contract 4). */
export class Accounts extends Context.Service<
  Accounts,
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
    /** Ends all other sessions of the caller. */
    readonly changePassword: (
      input: PasswordChange
    ) => Effect.Effect<void, Unauthorized | Invalid | RateLimited | NotFound | Unavailable, Principal>
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
        const secrets = yield* Secrets
        const throttles = yield* Throttles
        const plans = yield* Plans
        const randomness = yield* Randomness
        const userRows = yield* Users
        const invitations = yield* Invitations
        const mails = yield* Outbox
        const confirmations = yield* Confirmations
        const reauthentication = yield* Reauthentication
        const securityMails = yield* SecurityMails

        const readUser = Effect.fnUntraced(function* (id: string) {
          const [user] = yield* orUnavailable(
            read.unsafe<UserRow>(`SELECT ${users.columnList} FROM users WHERE id = $1`, [id])
          )
          return user ?? (yield* missing)
        })

        const isTaken = (email_key: string) =>
          Effect.map(
            orUnavailable(read.unsafe("SELECT 1 AS found FROM users WHERE email_key = $1", [email_key])),
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
          input: Register,
          origin: Origin,
          also: (draft: LockedDraft, user: UserRow) => Effect.Effect<A, E>
        ) {
          const invitation = yield* Effect.tapError(invited(input.invitation_token, input.email), () =>
            throttles.registration(origin.ip)
          )
          if (invitation === undefined) yield* throttles.registration(origin.ip)
          const email_key = emailKey(input.email)
          const name = input.name ?? nameOf(input.email)
          yield* passwords.checkNew("password", input.password, { email: input.email, name })
          if (yield* isTaken(email_key)) return yield* emailTaken
          const password_hash = yield* passwords.hash(input.password, yield* throttles.passwordClient(origin.ip))
          // The token was mailed to this address only, so the user reads its mail.
          const email_proven = invitation?.is_mailed ?? false
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

        const register = traced("Accounts.register")(function* (input: Register, origin: Origin) {
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
              yield* holdUser(draft, principal.user_id)
              const user = yield* draft.get(users, principal.user_id)
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
          const user = yield* readUser(principal.user_id)
          const isNewAddress = input.email !== undefined && input.email !== user.email
          const isSession = principal.kind === "session"
          const proved =
            isSession && input.current_password !== undefined
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
            if (proved === undefined) {
              return yield* Invalid.field("current_password", "required", "is required to change the e-mail address")
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
                yield* holdUser(draft, principal.user_id)
                const before = yield* draft.get(users, principal.user_id)
                if (before === undefined || (yield* isDeleted(draft, before.id))) return yield* missing
                // Another password was set meanwhile, which ended the sessions.
                if (isNewAddress && before.password_hash !== proved?.password_hash) return yield* wrongPassword
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
          register,
          join: traced("Accounts.join")((input: Register, origin: Origin) =>
            Effect.map(
              enroll(input, origin, () => Effect.succeed({ device_id: null })),
              ({ unaccepted }) => ({ unaccepted })
            )
          ),
          changePassword,
          get: Effect.flatMap(Principal, ({ user_id }) => Effect.map(readUser(user_id), SessionTokens.userOf)),
          update
        })
      })
    )
}
