import { Context, Effect, Layer } from "effect"
import * as Ids from "../Ids.ts"
import type { Draft } from "../writer/Draft.ts"
import * as Queue from "../jobs/Queue.ts"
import type { Claimed } from "../jobs/QueueStore.ts"
import { Secrets } from "../secrets/Secrets.ts"
import * as Column from "../tables/Column.ts"
import * as Table from "../tables/Table.ts"
import type { Letter } from "./MailTemplates.ts"
import { maxDeliveries, Mailer } from "./Mailer.ts"

/** Mail that is to be sent. */
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

/** A mail that nobody took for three days is given up. */
export const backoff = Queue.backoffBy(
  [10 * seconds, minutes, 5 * minutes, 30 * minutes, 2 * hours, 6 * hours],
  72 * hours
)

/**
 * Mail to people. It is stored with the change that it tells of, in one commit, so that no crash loses one, and sent
 * afterwards: at least once, by one node at a time, and workspaces take turns.
 */
export class Outbox extends Context.Service<
  Outbox,
  {
    /** Puts a mail into a draft. Once that is stored, `wake` sends it at once. */
    readonly put: (draft: Draft, recipient: string, letter: Letter) => void
    /** The row but for its recipient and workspace, for a statement that finds those itself. */
    readonly row: (letter: Letter, now: number) => Omit<MailRow, "recipient">
    /** There is mail to send: said after the commit. Unsaid, it goes within five seconds. */
    readonly wake: Effect.Effect<void>
  }
>()("sheaf/mail/Outbox") {
  static readonly layer = Layer.effect(
    Outbox,
    Effect.gen(function* () {
      const secrets = yield* Secrets
      const mailer = yield* Mailer

      const row = (letter: Letter, now: number) => ({
        id: `${Ids.base62(now, 8)}${Ids.random(14)}`,
        sealed: secrets.seal("mail", JSON.stringify({ subject: letter.subject, text: letter.text })),
        attempts: 0,
        next_at: new Date(now).toISOString(),
        created_at: new Date(now).toISOString()
      })

      const opened = (mail: Claimed<MailRow>): Effect.Effect<Letter, Queue.Retry> => {
        const text = secrets.open("mail", mail.sealed)
        return text === undefined
          ? // SECRET_KEY is another one. It may come back.
            Effect.fail(new Queue.Retry({ reason: "sealed with another key" }))
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
            return `was refused for good (${failure.reason}); it is dropped`
          case "given_up":
            return `could not be sent for three days (${failure.reason}); it is dropped`
        }
      }

      const { wake } = yield* Queue.make({
        table: mails,
        key: "workspace_id",
        concurrency: maxDeliveries,
        concurrencyPerKey: { onEach: maxDeliveries },
        run: send,
        backoff,
        // Its address is not said: the log is read by others than those who may know it.
        failed: (mail, failure) => Effect.logWarning(`mail ${mail.id} ${what(failure)}`),
        outcomes: { done: "sent", retried: "retried", dropped: "refused", given_up: "expired" },
        drain: "10 seconds"
      })

      return Outbox.of({
        put: (draft, recipient, letter) => draft.add(mails, { ...row(letter, draft.millis), recipient }),
        row,
        wake
      })
    })
  )
}
