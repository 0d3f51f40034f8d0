import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { emailKey } from "../Email.ts"
import { type NotFound, type RateLimited, Unauthorized, type Unavailable } from "../Errors.ts"
import type { WorkspaceId } from "../Ids.ts"
import { Randomness } from "../Randomness.ts"
import { Throttles } from "../limits/Throttles.ts"
import * as MailTemplates from "../mail/MailTemplates.ts"
import { Outbox } from "../mail/Outbox.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import { Database, runSql } from "../database/Database.ts"
import type { Draft } from "../writer/Draft.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { Writer } from "../writer/Writer.ts"
import * as Tokens from "../Tokens.ts"
import { traced } from "../Traced.ts"
import { lockUser } from "./Users.ts"
import { atSteps } from "./ResponseTimes.ts"
import { emailConfirmations, type UserRow, users } from "./IdentityTables.ts"
import type { Origin } from "./Sessions.ts"
import { defaultRegion } from "./User.ts"

/** Milliseconds for which an address can be confirmed after the mail: 7 days (contract 4). */
const life = 7 * 24 * 3600_000

const invalidToken = new Unauthorized({ code: "invalid_token", detail: "The token is not valid" })
const expiredToken = new Unauthorized({ code: "token_expired", detail: "The token has expired: request another one" })

/** The address of an account that a token was mailed to. */
interface Confirmable {
  readonly email: string
  readonly email_proven: boolean
}

type Recipient = Pick<UserRow, "id" | "email" | "email_key" | "locale">

interface Held extends Confirmable {
  readonly workspace_id: WorkspaceId
  readonly user_id: string
  readonly expires_at: string
}

/** Invalidates the tokens that were mailed to the previous address of a user. In a locked draft. */
export const invalidateConfirmations = (draft: LockedDraft, user_id: string) =>
  draft.runSql("DELETE FROM email_confirmations WHERE workspace_id = $1 AND user_id = $2", [
    draft.workspace_id,
    user_id
  ])

/** Confirmation that the user of an account reads its address: a token is mailed to it and used (contract 4). */
export class Confirmations extends Context.Service<
  Confirmations,
  {
    /**
     * Mails a token to the address of a user, in the draft that sets the address. The caller checks
     * `Throttles.confirmation` before, and calls `Outbox.wake` after the commit.
     */
    readonly offer: (draft: Draft, user: Recipient) => void
    /** Mails another token to the unconfirmed address of an account. The response is always the same. */
    readonly ask: (email: string, origin: Origin) => Effect.Effect<void, Unavailable>
    /** Returns the address that a token confirms or has confirmed. */
    readonly find: (
      token: string,
      origin: Origin
    ) => Effect.Effect<Confirmable, Unauthorized | RateLimited | Unavailable>
    /** Confirms the address that the token was mailed to. A second use changes nothing. */
    readonly confirm: (
      token: string,
      origin: Origin
    ) => Effect.Effect<void, Unauthorized | RateLimited | NotFound | Unavailable>
  }
>()("sheaf/identity/Confirmations") {
  static readonly layer = (options: { readonly publicUrl: string }) =>
    Layer.effect(
      Confirmations,
      Effect.gen(function* () {
        const { read, write: sql } = yield* Database
        const writer = yield* Writer
        const throttles = yield* Throttles
        const mails = yield* Outbox
        const randomness = yield* Randomness

        const letter = (token: Redacted.Redacted, { email, locale }: Pick<Recipient, "email" | "locale">) =>
          MailTemplates.confirmation({ token: Redacted.value(token), email, locale, publicUrl: options.publicUrl })

        const offer = (draft: Draft, recipient: Recipient): void => {
          const { email, email_key, id } = recipient
          const token = Tokens.make(draft.randomness, "sfc")
          draft.add(emailConfirmations, {
            hash: Tokens.digest(token),
            user_id: id,
            email_key,
            expires_at: new Date(draft.millis + life).toISOString()
          })
          mails.put(draft, email, letter(token, recipient))
        }

        const send = Effect.fnUntraced(function* (email: string, origin: Origin) {
          const key = emailKey(email)
          const isAllowed = yield* Effect.isSuccess(throttles.confirmationRequested(origin.ip))
          const [user] = yield* runSql<{ readonly email: string; readonly locale: string }>(
            read,
            "SELECT email, locale FROM users WHERE email_key = $1 AND NOT email_proven",
            [key]
          )
          // Only mails that are sent count. Otherwise requests could use up the limit of an address before it registers.
          const isSent = isAllowed && user !== undefined && (yield* Effect.isSuccess(throttles.confirmation(key)))
          const now = yield* Clock.currentTimeMillis
          const token = Tokens.make(randomness, "sfc")
          const mail = mails.row(letter(token, user ?? { email, locale: defaultRegion.locale }), now)
          // The same statements whether the account exists or not.
          yield* runSql(
            sql,
            `WITH found AS (
              SELECT workspace_id, id, email FROM users WHERE email_key = $1 AND NOT email_proven AND $2::boolean
            ),
            confirmation AS (
              INSERT INTO email_confirmations (workspace_id, hash, user_id, email_key, expires_at)
              SELECT workspace_id, $3, id, $1, $4 FROM found
            )
            INSERT INTO mails (workspace_id, id, recipient, sealed, attempts, next_at, created_at)
            SELECT workspace_id, $5, email, $6, $7::int, $8, $9 FROM found`,
            [
              key,
              isSent,
              Tokens.digest(token),
              new Date(now + life).toISOString(),
              mail.id,
              mail.sealed,
              String(mail.attempts),
              mail.next_at,
              mail.created_at
            ]
          )
          yield* mails.wake
        })

        const held = Effect.fnUntraced(function* (token: string) {
          if (!Tokens.isWellFormed("sfc", token)) return yield* invalidToken
          const [found] = yield* runSql<Held>(
            read,
            `SELECT c.workspace_id, c.user_id, c.expires_at, u.email, u.email_proven
              FROM email_confirmations c JOIN users u ON u.id = c.user_id AND u.email_key = c.email_key
              WHERE hash = $1`,
            [Tokens.digestOf(token)]
          )
          if (found === undefined) return yield* invalidToken
          const now = yield* Clock.currentTimeMillis
          return Date.parse(found.expires_at) <= now ? yield* expiredToken : found
        })

        const confirm = Effect.fnUntraced(function* (token: string, origin: Origin) {
          const { email_proven, user_id, workspace_id } = yield* held(token)
          if (email_proven) return
          yield* writer.writeLocked(
            workspace_id,
            { actor: { ...origin, user_id, device_id: null } },
            Effect.fnUntraced(function* (draft: LockedDraft) {
              const user = yield* lockUser(draft, user_id)
              const confirmation = yield* draft.get(emailConfirmations, Tokens.digestOf(token))
              // The address was changed meanwhile.
              if (user === undefined || confirmation?.email_key !== user.email_key) return yield* invalidToken
              if (user.email_proven) return
              draft.put(users, { ...user, email_proven: true })
              AuditTrail.audit(draft, { action: "auth.email_confirmed", resource: "user", resource_id: user.id })
            })
          )
        })

        return Confirmations.of({
          offer,
          ask: traced("Confirmations.ask")((email: string, origin: Origin) => atSteps(send(email, origin))),
          find: traced("Confirmations.find")((token: string, origin: Origin) =>
            throttles.credential(origin.ip, held(token))
          ),
          confirm: traced("Confirmations.confirm")((token: string, origin: Origin) =>
            throttles.credential(origin.ip, confirm(token, origin))
          )
        })
      })
    )
}
