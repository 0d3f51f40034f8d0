import { Clock, Context, Effect, Layer, Redacted } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import { Randomness } from "../Randomness.ts"
import { emailKey } from "../Email.ts"
import {
  type Forbidden,
  type Invalid,
  type NotFound,
  type RateLimited,
  Unauthorized,
  type Unavailable
} from "../Errors.ts"
import { Throttles } from "../limits/Throttles.ts"
import * as MailTemplates from "../mail/MailTemplates.ts"
import { Outbox } from "../mail/Outbox.ts"
import { Database, runSql } from "../database/Database.ts"
import { type Actor, OperatorActor } from "../writer/Actor.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import { Writer } from "../writer/Writer.ts"
import * as Tokens from "../Tokens.ts"
import { traced } from "../Traced.ts"
import { endKeysOf, logKey } from "../workspaces/ApiKeyEnds.ts"
import { holdUser } from "../workspaces/RoleChecks.ts"
import { lockUser } from "./Users.ts"
import { atSteps } from "./ResponseTimes.ts"
import type { ApiKey } from "./ApiKey.ts"
import * as SecondFactors from "./factors/SecondFactors.ts"
import { Passwords } from "./Passwords.ts"
import { PasswordSignIn } from "./PasswordSignIn.ts"
import { users } from "./IdentityTables.ts"
import type { Account } from "./User.ts"
import { SecurityMails } from "./SecurityMails.ts"
import type { PasswordReset } from "./Session.ts"
import type { Origin } from "./Sessions.ts"
import * as SessionTokens from "./SessionTokens.ts"
import { defaultRegion } from "./User.ts"

/** Milliseconds for which a reset token is valid: one hour (contract 4). */
const resetLife = 3600_000

const invalidToken = new Unauthorized({ code: "invalid_token", detail: "The token is not valid, or was used before" })
const expiredToken = new Unauthorized({ code: "token_expired", detail: "The token has expired: request another one" })

const because = { reason: "password_reset" }

/** Invalidates the reset tokens of a user. In a locked draft. */
export const invalidateResets = (draft: LockedDraft, user_id: string) =>
  draft.runSql("DELETE FROM password_resets WHERE workspace_id = $1 AND user_id = $2", [draft.workspace_id, user_id])

/**
 * Ends all sign-ins by providers of a user, the links that connect one, and all factors. In a locked draft of the personal
 * workspace.
 */
export const endIdentities = (draft: LockedDraft, user_id: string) =>
  Effect.andThen(
    SecondFactors.endAll(draft, user_id),
    draft.execute(
      `WITH links AS (DELETE FROM identity_links WHERE workspace_id = $1 AND user_id = $2)
      DELETE FROM user_identities WHERE workspace_id = $1 AND user_id = $2`,
      [draft.workspace_id, user_id]
    )
  )

interface Held {
  readonly workspace_id: WorkspaceId
  readonly user_id: string
  readonly expires_at: string
  readonly email: string
  readonly name: string
  readonly email_proven: boolean
}

/** A link to the page that sets another password. It works once, until `expires_at`. */
interface ResetLink {
  readonly url: string
  readonly expires_at: string
}

/** Recovery of an account whose password is lost (contract 4). */
export class Recovery extends Context.Service<
  Recovery,
  {
    /** Mails a one-time token to the address, if it has an account. The response is always the same. */
    readonly forgotPassword: (email: string, origin: Origin) => Effect.Effect<void, Forbidden | Unavailable>
    /**
     * Makes a link by which a user sets another password, for an operator, and mails it to the user. Other links of the
     * user stay valid.
     */
    readonly makeLink: (user: Account) => Effect.Effect<ResetLink, NotFound | Unavailable>
    /** Returns the address of the account whose password a token can reset. The token stays valid. */
    readonly find: (
      token: string,
      origin: Origin
    ) => Effect.Effect<{ readonly email: string }, Unauthorized | RateLimited | Unavailable>
    /**
     * Sets the password and ends all sessions of the user. If the address was not confirmed before, it also ends the API
     * keys: another person may have created the account and the keys.
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
        const passwordSignIn = yield* PasswordSignIn
        const throttles = yield* Throttles
        const mails = yield* Outbox
        const securityMails = yield* SecurityMails
        const randomness = yield* Randomness

        const forgotPassword = traced("Accounts.forgotPassword")(function* (email: string, origin: Origin) {
          yield* passwordSignIn.need
          const key = emailKey(email)
          const isSent = yield* throttles.mail(key, origin.ip)
          const now = yield* Clock.currentTimeMillis
          const token = Tokens.make(randomness, "sfp")
          // The same statements whether the account exists or not.
          const stored = Effect.gen(function* () {
            const [user] = yield* runSql<{ readonly locale: string }>(
              read,
              "SELECT locale FROM users WHERE email_key = $1",
              [key]
            )
            const locale = user?.locale ?? defaultRegion.locale
            const letter = { token: Redacted.value(token), locale, publicUrl: options.publicUrl }
            const mail = mails.row(MailTemplates.passwordReset(letter), now)
            yield* runSql(
              sql,
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
          })
          yield* atSteps(Effect.andThen(stored, mails.wake))
        })

        const makeLink = traced("Recovery.makeLink")(function* ({ email, id, workspace_id }: Account) {
          const token = Redacted.value(Tokens.make(randomness, "sfp"))
          const expires_at = yield* writer.writeLocked(
            workspace_id,
            { actor: yield* OperatorActor },
            Effect.fnUntraced(function* (draft: LockedDraft) {
              const expires_at = new Date(draft.millis + resetLife).toISOString()
              yield* draft.execute(
                `INSERT INTO password_resets (workspace_id, hash, user_id, email_key, expires_at, created_at)
                VALUES ($1, $2, $3, $4, $5, $6)`,
                [workspace_id, Tokens.digestOf(token), id, emailKey(email), expires_at, draft.now]
              )
              const [user] = yield* draft.runSql<{ readonly locale: string }>(
                "SELECT locale FROM users WHERE id = $1",
                [id]
              )
              const locale = user?.locale ?? defaultRegion.locale
              mails.put(draft, email, MailTemplates.passwordReset({ token, locale, publicUrl: options.publicUrl }))
              AuditTrail.audit(draft, { action: "auth.reset_link_made", resource: "user", resource_id: id })
              return expires_at
            })
          )
          yield* mails.wake
          return { url: MailTemplates.resetLink(options.publicUrl, token), expires_at }
        })

        /** Ends the keys that the user created in other workspaces, by a write to each workspace. */
        const endKeysElsewhere = Effect.fnUntraced(function* (user_id: string, home_id: string, actor: Actor) {
          const places = yield* runSql<{ readonly workspace_id: WorkspaceId }>(
            read,
            "SELECT DISTINCT workspace_id FROM api_keys WHERE user_id = $1 AND workspace_id <> $2",
            [user_id, home_id]
          )
          for (const { workspace_id } of places) {
            yield* writer
              .writeLocked(
                workspace_id,
                { actor },
                Effect.fnUntraced(function* (draft: LockedDraft) {
                  yield* holdUser(draft, user_id)
                  const unproven = yield* draft.runSql(
                    "SELECT 1 AS found FROM users WHERE id = $1 AND NOT email_proven",
                    [user_id]
                  )
                  // If the address was confirmed meanwhile, the keys may be the user's.
                  if (unproven.length > 0) yield* endKeysOf(draft, user_id, because)
                })
                // The workspace was erased meanwhile, with its keys.
              )
              .pipe(Effect.catchTag("NotFound", () => Effect.void))
          }
        })

        /** Ends the keys of the home workspace, and those created in other workspaces since, which it logs here too. */
        const endAllKeys = Effect.fnUntraced(function* (draft: LockedDraft, user_id: string) {
          yield* endKeysOf(draft, user_id, because)
          const late = yield* draft.runSql<
            Pick<ApiKey, "id" | "name" | "prefix" | "scopes"> & { readonly workspace_id: WorkspaceId }
          >(
            `DELETE FROM api_keys WHERE user_id = $1 AND workspace_id <> $2
            RETURNING id, name, prefix, scopes, workspace_id`,
            [user_id, draft.workspace_id]
          )
          // The log of the home workspace notifies all processes: they cache keys by home workspace too.
          for (const key of late) logKey(draft, key, "api_key.deleted", { ...because, workspace_id: key.workspace_id })
        })

        const held = Effect.fnUntraced(function* (token: string) {
          if (!Tokens.isWellFormed("sfp", token)) return yield* invalidToken
          const [found] = yield* runSql<Held>(
            read,
            `SELECT r.workspace_id, r.user_id, r.expires_at, u.email, u.name, u.email_proven
              FROM password_resets r JOIN users u ON u.id = r.user_id AND coalesce(r.email_key, u.email_key) = u.email_key
              WHERE hash = $1`,
            [Tokens.digestOf(token)]
          )
          if (found === undefined) return yield* invalidToken
          const now = yield* Clock.currentTimeMillis
          return Date.parse(found.expires_at) <= now ? yield* expiredToken : found
        })

        const reset = Effect.fnUntraced(function* (input: PasswordReset, origin: Origin) {
          const hash = Tokens.digestOf(input.token)
          const found = yield* held(input.token)
          yield* passwords.checkNew("new_password", input.new_password, found)
          const password_hash = yield* passwords.hash(
            input.new_password,
            yield* throttles.passwordClient(origin.ip, found.user_id)
          )
          const actor = { ...origin, user_id: found.user_id, device_id: null }
          // Before the token is used: if this is interrupted, the user can repeat the request.
          if (!found.email_proven) yield* endKeysElsewhere(found.user_id, found.workspace_id, actor)
          yield* writer.writeLocked(
            found.workspace_id,
            { actor },
            Effect.fnUntraced(function* (draft: LockedDraft) {
              const user = yield* lockUser(draft, found.user_id)
              // A token that was mailed before a change of the address is not valid.
              const held = yield* draft.runSql(
                `SELECT 1 AS found FROM password_resets
                WHERE workspace_id = $1 AND hash = $2 AND coalesce(email_key, $3) = $3`,
                [draft.workspace_id, hash, user?.email_key ?? null]
              )
              if (user === undefined || held.length === 0) return yield* invalidToken
              yield* invalidateResets(draft, user.id)
              draft.put(users, { ...user, password_hash, email_proven: true })
              yield* securityMails.put(draft, user.id, MailTemplates.passwordChanged)
              if (!user.email_proven) {
                yield* endAllKeys(draft, user.id)
                // The person who has made the account may have connected a provider, or added a factor, of their own.
                yield* endIdentities(draft, user.id)
              }
              yield* SessionTokens.endAll(draft, user.id, "password_reset")
              AuditTrail.audit(draft, { action: "auth.password_reset", resource: "user", resource_id: user.id })
            })
          )
        })

        return Recovery.of({
          forgotPassword,
          makeLink,
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
