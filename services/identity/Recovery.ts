import { Clock, Context, Effect, Layer, Redacted } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import { emailKey } from "../Email.ts"
import { type Invalid, type NotFound, type RateLimited, Unauthorized, type Unavailable } from "../Errors.ts"
import { Throttles } from "../limits/Throttles.ts"
import * as MailTemplates from "../mail/MailTemplates.ts"
import { Outbox } from "../mail/Outbox.ts"
import { Database, orUnavailable } from "../database/Database.ts"
import type { Actor } from "../writer/Actor.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import { Writer } from "../writer/Writer.ts"
import * as Tokens from "../Tokens.ts"
import { traced } from "../Traced.ts"
import { endKeysOf, logKey } from "../workspaces/ApiKeyEnds.ts"
import { holdUser } from "../workspaces/RoleChecks.ts"
import { atSteps } from "./AnswerTimes.ts"
import type { ApiKey } from "./ApiKey.ts"
import { Passwords } from "./Passwords.ts"
import { users } from "./IdentityTables.ts"
import { SecurityMails } from "./SecurityMails.ts"
import type { PasswordReset } from "./Session.ts"
import type { Origin } from "./Sessions.ts"
import * as SessionTokens from "./SessionTokens.ts"
import { needOtherThanName } from "./User.ts"

/** A password can be reset so long after it was said to be forgotten (contract 4). */
const resetLife = 3600_000

const invalidToken = new Unauthorized({ code: "invalid_token", detail: "The token is not valid, or was used before" })
const expiredToken = new Unauthorized({ code: "token_expired", detail: "The token has expired: ask for another one" })

const because = { reason: "password_reset" }

/** Tokens that were mailed are good no longer. In a locked draft. */
export const forgetResets = (draft: LockedDraft, user_id: string) =>
  Effect.orDie(
    draft.sql.unsafe("DELETE FROM password_resets WHERE workspace_id = $1 AND user_id = $2", [
      draft.workspace_id,
      user_id
    ])
  )

interface Held {
  readonly workspace_id: WorkspaceId
  readonly user_id: string
  readonly expires_at: string
  readonly email: string
  readonly name: string
  readonly email_proven: boolean
}

/** The way back into an account whose password was forgotten (contract 4). */
export class Recovery extends Context.Service<
  Recovery,
  {
    /** Mails a one-time token to the address, if it has an account. The response is always the same. */
    readonly forgotPassword: (email: string, origin: Origin) => Effect.Effect<void, Unavailable>
    /** Whose password a token can reset. It stays good. */
    readonly find: (
      token: string,
      origin: Origin
    ) => Effect.Effect<{ readonly email: string }, Unauthorized | RateLimited | Unavailable>
    /**
     * Ends all sessions of whoever the token was sent to. Where nobody had shown yet that the address is theirs, it ends
     * their API keys too: somebody else may have made the account, and them.
     */
    readonly resetPassword: (
      input: PasswordReset,
      origin: Origin
    ) => Effect.Effect<void, Unauthorized | Invalid | RateLimited | NotFound | Unavailable>
  }
>()("sheaf/identity/Recovery") {
  static readonly layer = (options: { readonly publicUrl: string }) =>
    Layer.effect(
      Recovery,
      Effect.gen(function* () {
        const { read, write: sql } = yield* Database
        const writer = yield* Writer
        const passwords = yield* Passwords
        const throttles = yield* Throttles
        const mails = yield* Outbox
        const securityMails = yield* SecurityMails

        const forgotPassword = traced("Accounts.forgotPassword")(function* (email: string, origin: Origin) {
          const key = emailKey(email)
          const isSent = yield* throttles.mail(key, origin.ip)
          const now = yield* Clock.currentTimeMillis
          const token = Tokens.make("sfp")
          const mail = mails.row(
            MailTemplates.passwordReset({ token: Redacted.value(token), publicUrl: options.publicUrl }),
            now
          )
          // One statement, whether there is such an account or not.
          const stored = orUnavailable(
            sql.unsafe(
              `WITH found AS (SELECT workspace_id, id, email FROM users WHERE email_key = $1 AND $2::boolean),
            reset AS (
              INSERT INTO password_resets (workspace_id, hash, user_id, email_key, expires_at, created_at)
              SELECT workspace_id, $3, id, $1, $4, $5 FROM found
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
            )
          )
          yield* atSteps(Effect.andThen(stored, mails.wake))
        })

        /** Ends the keys that the user made in other workspaces, each in the order of its own. */
        const endKeysElsewhere = Effect.fnUntraced(function* (user_id: string, home_id: string, actor: Actor) {
          const places = yield* orUnavailable(
            read.unsafe<{ readonly workspace_id: WorkspaceId }>(
              "SELECT DISTINCT workspace_id FROM api_keys WHERE user_id = $1 AND workspace_id <> $2",
              [user_id, home_id]
            )
          )
          for (const { workspace_id } of places) {
            yield* writer
              .writeLocked(
                workspace_id,
                { actor },
                Effect.fnUntraced(function* (draft: LockedDraft) {
                  yield* holdUser(draft, user_id)
                  const unproven = yield* Effect.orDie(
                    draft.sql.unsafe("SELECT 1 AS found FROM users WHERE id = $1 AND NOT email_proven", [user_id])
                  )
                  // Proven meanwhile, the account has keys of its own.
                  if (unproven.length > 0) yield* endKeysOf(draft, user_id, because)
                })
                // Erased meanwhile, with its keys.
              )
              .pipe(Effect.catchTag("NotFound", () => Effect.void))
          }
        })

        /** In the draft of the home: what was made elsewhere since is ended with the commit, and told of here. */
        const endAllKeys = Effect.fnUntraced(function* (draft: LockedDraft, user_id: string) {
          yield* endKeysOf(draft, user_id, because)
          const late = yield* Effect.orDie(
            draft.sql.unsafe<
              Pick<ApiKey, "id" | "name" | "prefix" | "scopes"> & { readonly workspace_id: WorkspaceId }
            >(
              `DELETE FROM api_keys WHERE user_id = $1 AND workspace_id <> $2
            RETURNING id, name, prefix, scopes, workspace_id`,
              [user_id, draft.workspace_id]
            )
          )
          // The log of their home says it to all processes: their keys are known by it too.
          for (const key of late) logKey(draft, key, "api_key.deleted", { ...because, workspace_id: key.workspace_id })
        })

        const held = Effect.fnUntraced(function* (token: string) {
          if (!Tokens.isWellFormed("sfp", token)) return yield* invalidToken
          const [found] = yield* orUnavailable(
            read.unsafe<Held>(
              `SELECT r.workspace_id, r.user_id, r.expires_at, u.email, u.name, u.email_proven
              FROM password_resets r JOIN users u ON u.id = r.user_id AND coalesce(r.email_key, u.email_key) = u.email_key
              WHERE hash = $1`,
              [Tokens.digestOf(token)]
            )
          )
          if (found === undefined) return yield* invalidToken
          const now = yield* Clock.currentTimeMillis
          return Date.parse(found.expires_at) <= now ? yield* expiredToken : found
        })

        const reset = Effect.fnUntraced(function* (input: PasswordReset, origin: Origin) {
          const hash = Tokens.digestOf(input.token)
          const found = yield* held(input.token)
          yield* needOtherThanName("new_password", input.new_password, found)
          const password_hash = yield* passwords.hash(
            input.new_password,
            yield* throttles.asker(origin.ip, found.user_id)
          )
          const actor = { ...origin, user_id: found.user_id, device_id: null }
          // Before the token is used up: cut short, the whole can be asked for again.
          if (!found.email_proven) yield* endKeysElsewhere(found.user_id, found.workspace_id, actor)
          yield* writer.writeLocked(
            found.workspace_id,
            { actor },
            Effect.fnUntraced(function* (draft: LockedDraft) {
              yield* holdUser(draft, found.user_id)
              const user = yield* draft.get(users, found.user_id)
              // Mailed while the address was changed, it went to the one before.
              const held = yield* Effect.orDie(
                draft.sql.unsafe(
                  `SELECT 1 AS found FROM password_resets
                WHERE workspace_id = $1 AND hash = $2 AND coalesce(email_key, $3) = $3`,
                  [draft.workspace_id, hash, user?.email_key ?? null]
                )
              )
              if (user === undefined || held.length === 0) return yield* invalidToken
              yield* forgetResets(draft, user.id)
              draft.put(users, { ...user, password_hash, email_proven: true })
              yield* securityMails.put(draft, user.id, MailTemplates.passwordChanged)
              if (!user.email_proven) yield* endAllKeys(draft, user.id)
              yield* SessionTokens.endAll(draft, user.id, "password_reset")
              AuditTrail.audit(draft, { action: "auth.password_reset", resource: "user", resource_id: user.id })
            })
          )
        })

        return Recovery.of({
          forgotPassword,
          find: traced("Accounts.findReset")((token: string, origin: Origin) =>
            throttles.credential(origin.ip, held(token))
          ),
          resetPassword: traced("Accounts.resetPassword")((input: PasswordReset, origin: Origin) =>
            throttles.credential(origin.ip, reset(input, origin))
          )
        })
      })
    )
}
