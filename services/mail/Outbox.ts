import { Clock, Context, Effect, Layer } from "effect"
import { Database } from "../database/Database.ts"
import { ago } from "../database/DeleteInBatches.ts"
import * as Ids from "../Ids.ts"
import { Randomness, type RandomnessShape } from "../Randomness.ts"
import type { Draft } from "../writer/Draft.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import * as Queue from "../jobs/Queue.ts"
import type { Claimed } from "../jobs/QueueStore.ts"
import { Secrets } from "../secrets/Secrets.ts"
import * as Column from "../tables/Column.ts"
import * as Table from "../tables/Table.ts"
import type { Letter } from "./MailTemplates.ts"
import { maxDeliveries, Mailer } from "./Mailer.ts"

/** The mails to send. */
export const mails = Table.make(
  "mails",
  {
    id: Column.text(),
    recipient: Column.text(),
    /** Subject and text: tokens in them are secrets. */
    sealed: Column.text(),
    attempts: Column.int,
    next_at: Column.text(),
    created_at: Column.text()
  },
  { key: ["id"] }
)
type MailRow = Table.Row<typeof mails>

const seconds = 1_000
const minutes = 60 * seconds
const hours = 60 * minutes

/** Milliseconds that a mail stays after it was given up. The longest life of a token in a mail is as long. */
const failedLife = 7 * 24 * hours
/** Maximum number of mails that stay after they were given up. */
const maxFailed = 10_000

const keepText = `INSERT INTO failed_mails (workspace_id, id, recipient, sealed, attempts, error, created_at, failed_at)
  VALUES ($1, $2, $3, $4, $5::int, $6, $7, $8) ON CONFLICT DO NOTHING`

const pruneText = `DELETE FROM failed_mails WHERE failed_at <= $1
  OR (workspace_id, id) IN (SELECT workspace_id, id FROM failed_mails ORDER BY failed_at DESC OFFSET ${maxFailed})`

/**
 * Queues a mail that was given up, or makes one due that waits. The three days of tries begin again. A mail can be in both
 * tables: see `keep`.
 */
const resendText = `WITH failed AS (DELETE FROM failed_mails WHERE id = $1 RETURNING *), again AS (
    INSERT INTO mails (workspace_id, id, recipient, sealed, attempts, next_at, created_at)
    SELECT workspace_id, id, recipient, sealed, 0, $2, $2 FROM failed ON CONFLICT DO NOTHING RETURNING 1 AS found
  ), due AS (
    UPDATE mails SET next_at = $2 WHERE id = $1 AND claimed_by IS NULL RETURNING 1 AS found
  ) SELECT found FROM again UNION ALL SELECT found FROM due`

/** A mail that is not delivered within three days is given up. */
export const backoff = Queue.backoffBy(
  [10 * seconds, minutes, 5 * minutes, 30 * minutes, 2 * hours, 6 * hours],
  72 * hours
)

const rowBy = (secrets: Secrets["Service"], randomness: RandomnessShape) => (letter: Letter, now: number) => ({
  id: `${Ids.base62(now, 8)}${randomness.text(14)}`,
  sealed: secrets.seal("mail", JSON.stringify({ subject: letter.subject, text: letter.text })),
  attempts: 0,
  next_at: new Date(now).toISOString(),
  created_at: new Date(now).toISOString()
})

/** Adds a mail to a draft, also of a process that sends none: the server sends it. */
export const put = (draft: Draft, secrets: Secrets["Service"], recipient: string, letter: Letter): void =>
  draft.add(mails, { ...rowBy(secrets, draft.randomness)(letter, draft.millis), recipient })

/**
 * Mail to users. It is stored in one commit with the change that it reports, so that no crash loses it. It is sent
 * afterwards, at least once, by one node at a time. Workspaces take turns.
 */
export class Outbox extends Context.Service<
  Outbox,
  {
    /** Adds a mail to a draft. After the commit, `wake` sends it at once. */
    readonly put: (draft: Draft, recipient: string, letter: Letter) => void
    /** The row without its recipient and workspace, for a statement that selects these itself. */
    readonly row: (letter: Letter, now: number) => Omit<MailRow, "recipient">
    /** Sends new mail at once; called after the commit. Without the call, mail is sent within five seconds. */
    readonly wake: Effect.Effect<void>
    /**
     * Queues a mail again that was given up, or one that waits, to be sent now. Returns whether there is one with this id.
     * After the commit, `wake` sends it at once.
     */
    readonly resend: (draft: LockedDraft, id: string) => Effect.Effect<boolean>
    /** Deletes old mails that were given up. */
    readonly prune: Effect.Effect<void>
  }
>()("sheaf/mail/Outbox") {
  static readonly layer = Layer.effect(
    Outbox,
    Effect.gen(function* () {
      const { write: sql } = yield* Database
      const secrets = yield* Secrets
      const mailer = yield* Mailer
      const randomness = yield* Randomness

      const row = rowBy(secrets, randomness)

      const opened = (mail: Claimed<MailRow>): Effect.Effect<Letter, Queue.Retry> => {
        const text = secrets.open("mail", mail.sealed)
        return text === undefined
          ? // Sealed with another SECRET_KEY, which may come back.
            Effect.fail(new Queue.Retry({ reason: "encrypted with another SECRET_KEY" }))
          : Effect.sync(() => JSON.parse(text) as Letter)
      }

      const send = Effect.fnUntraced(function* (mail: Claimed<MailRow>) {
        const { subject, text } = yield* opened(mail)
        yield* Effect.mapError(
          mailer.deliver({ id: mail.id, to: mail.recipient, created_at: mail.created_at, subject, text }),
          ({ code, isPermanent }) => new (isPermanent ? Queue.Drop : Queue.Retry)({ reason: code })
        )
      })

      const what = (failure: Queue.Failure): string => {
        switch (failure.outcome) {
          case "retried":
            return `could not be sent (${failure.reason}); the next try is at ${failure.next_at}`
          case "dropped":
            return `was permanently refused (${failure.reason}); it is dropped`
          case "given_up":
            return `could not be sent for three days (${failure.reason}); it is dropped`
        }
      }

      /** Keeps a mail that is given up. It may be kept twice, if the process ends before the row of the queue does. */
      const keep = Effect.fnUntraced(function* (mail: Claimed<MailRow>, error: string) {
        const { attempts, created_at, id, recipient, sealed, workspace_id } = mail
        const now = new Date(yield* Clock.currentTimeMillis).toISOString()
        yield* Effect.orDie(
          sql.unsafe(keepText, [workspace_id, id, recipient, sealed, String(attempts), error, created_at, now])
        )
      })

      const { wake } = yield* Queue.make({
        table: mails,
        key: "workspace_id",
        concurrency: maxDeliveries,
        concurrencyPerKey: { onEach: maxDeliveries },
        run: send,
        backoff,
        // Without the recipient's address: readers of the log may not be allowed to see it.
        failed: (mail, failure) =>
          Effect.andThen(
            failure.outcome === "retried" ? Effect.void : keep(mail, failure.reason),
            Effect.logWarning(`mail ${mail.id} ${what(failure)}`)
          ),
        outcomes: { done: "sent", retried: "retried", dropped: "refused", given_up: "expired" },
        drain: "10 seconds"
      })

      return Outbox.of({
        put: (draft, recipient, letter) => put(draft, secrets, recipient, letter),
        row,
        wake,
        resend: (draft, id) => Effect.map(draft.execute(resendText, [id, draft.now]), (found) => found.length > 0),
        prune: Effect.flatMap(ago(failedLife), (time) => Effect.asVoid(Effect.orDie(sql.unsafe(pruneText, [time]))))
      })
    })
  )
}
