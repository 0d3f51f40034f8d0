import { Clock, Context, Effect, FiberSet, Layer, Metric, Queue, Schedule } from "effect"
import * as Ids from "../Ids.ts"
import { Database } from "../storage/Database.ts"
import type { Draft } from "../storage/Draft.ts"
import { Secrets } from "../storage/Secrets.ts"
import * as Column from "../storage/Column.ts"
import * as Table from "../storage/Table.ts"
import type { Letter } from "./Letters.ts"
import { deliveryPatience, maxDeliveries, Notifier, Undelivered } from "./Notifier.ts"

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

interface Claimed extends Omit<MailRow, "next_at"> {
  readonly workspace_id: string
}

const seconds = 1_000
const minutes = 60 * seconds
const hours = 60 * minutes

/** How long after a failed try the next one comes; the last holds for all further ones. */
const delays = [10 * seconds, minutes, 5 * minutes, 30 * minutes, 2 * hours, 6 * hours] as const
/** A mail that nobody took for so long is given up. */
const patience = 72 * hours
/** A claim whose node died lapses. */
const claim = deliveryPatience + minutes
/** What is under way when the service ends may still be ended. */
const drain = 10 * seconds

const ended = Metric.counter("sheaf_mails_total", {
  description: "Tries to send a mail, by what came of them: sent, retried, refused for good, expired",
  incremental: true
})
const waiting = Metric.gauge("sheaf_mails_waiting", { description: "Mails that wait to be sent, of all nodes" })

const iso = (millis: number): string => new Date(millis).toISOString()

/**
 * Mail to people. It is stored with the change that it tells of, in one commit, so that no crash loses one, and sent
 * afterwards: at least once, and by a node that no other disturbs.
 */
export class Mails extends Context.Service<
  Mails,
  {
    /** Puts a mail into a draft. Once that is stored, `wake` sends it at once. */
    readonly put: (draft: Draft, recipient: string, letter: Letter) => void
    /** The row but for its recipient and workspace, for a statement that finds those itself. */
    readonly row: (letter: Letter, now: number) => Omit<MailRow, "recipient">
    /** There is mail to send: said after the commit. Unsaid, it goes within five seconds. */
    readonly wake: Effect.Effect<void>
  }
>()("sheaf/notifier/Mails") {
  static readonly layer = Layer.effect(
    Mails,
    Effect.gen(function* () {
      const { write: sql } = yield* Database
      const secrets = yield* Secrets
      const notifier = yield* Notifier
      const awake = yield* Queue.dropping<void>(1)
      const wake = Effect.sync(() => void Queue.offerUnsafe(awake, undefined))
      let busy = 0

      const row = (letter: Letter, now: number) => ({
        id: `${Ids.base62(now, 8)}${Ids.random(14)}`,
        sealed: secrets.seal("mail", JSON.stringify({ subject: letter.subject, text: letter.text })),
        attempts: 0,
        next_at: iso(now),
        created_at: iso(now)
      })

      /** Those that are due, ours until the claim lapses. */
      const claimed = Effect.fnUntraced(function* (count: number) {
        const now = yield* Clock.currentTimeMillis
        return yield* sql.unsafe<Claimed>(
          `WITH due AS MATERIALIZED (
            SELECT workspace_id, id FROM mails WHERE next_at <= $1 ORDER BY next_at LIMIT $2::int FOR UPDATE SKIP LOCKED
          )
          UPDATE mails m SET attempts = attempts + 1, next_at = $3 FROM due
          WHERE m.workspace_id = due.workspace_id AND m.id = due.id
          RETURNING m.workspace_id, m.id, recipient, sealed, attempts, created_at`,
          [iso(now), String(count), iso(now + claim)]
        )
      })

      const over = (mail: Claimed, outcome: string) =>
        sql
          .unsafe("DELETE FROM mails WHERE workspace_id = $1 AND id = $2", [mail.workspace_id, mail.id])
          .pipe(Effect.andThen(Metric.update(Metric.withAttributes(ended, { outcome }), 1)))

      /** Its address is not said: the log is read by others than those who may know it. */
      const say = (mail: Claimed, what: string) => Effect.logWarning(`mail ${mail.id} ${what}`)

      const failed = Effect.fnUntraced(function* (mail: Claimed, { code, isPermanent }: Undelivered) {
        if (isPermanent) {
          yield* say(mail, `was refused for good (${code}); it is dropped`)
          return yield* over(mail, "refused")
        }
        const next = (yield* Clock.currentTimeMillis) + (delays[mail.attempts - 1] ?? delays.at(-1)!)
        if (next > Date.parse(mail.created_at) + patience) {
          yield* say(mail, `could not be sent for three days (${code}); it is dropped`)
          return yield* over(mail, "expired")
        }
        yield* say(mail, `could not be sent (${code}); the next try is at ${iso(next)}`)
        yield* sql.unsafe(
          // Unless the claim lapsed, and another node is at it.
          "UPDATE mails SET next_at = $3 WHERE workspace_id = $1 AND id = $2 AND attempts = $4::int",
          [mail.workspace_id, mail.id, iso(next), String(mail.attempts)]
        )
        yield* Metric.update(Metric.withAttributes(ended, { outcome: "retried" }), 1)
      })

      const opened = (mail: Claimed): Effect.Effect<Letter, Undelivered> =>
        Effect.try({
          try: () => JSON.parse(secrets.open("mail", mail.sealed)) as Letter,
          // SECRET_KEY is another one. It may come back.
          catch: () => new Undelivered({ code: "sealed with another key", isPermanent: false })
        })

      const send = (mail: Claimed) =>
        opened(mail).pipe(
          Effect.flatMap(({ subject, text }) =>
            notifier.deliver({ id: mail.id, to: mail.recipient, created_at: mail.created_at, subject, text })
          ),
          Effect.matchEffect({
            onSuccess: () => over(mail, "sent"),
            onFailure: (reason) => failed(mail, reason)
          }),
          // The claim lapses, and it is tried again.
          Effect.catchCause((cause) => Effect.logWarning(`mail ${mail.id} could not be dealt with`, cause)),
          Effect.ensuring(
            Effect.suspend(() => {
              busy--
              return wake
            })
          )
        )

      const underWay = yield* FiberSet.make<void>()
      // In real time, as the sockets are, also when the program runs on a test's clock.
      yield* Effect.addFinalizer(() =>
        FiberSet.awaitEmpty(underWay).pipe(
          Effect.timeoutOption(drain),
          Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
        )
      )

      /** Begins what there is to send and there is room for; each that ends looks for more. */
      const look = Effect.fnUntraced(function* () {
        if (busy === maxDeliveries) return
        for (const mail of yield* claimed(maxDeliveries - busy)) {
          busy++
          yield* FiberSet.run(underWay, Effect.interruptible(send(mail)))
        }
      })

      const count = Effect.flatMap(
        sql.unsafe<{ readonly count: number }>("SELECT count(*)::int AS count FROM mails"),
        ([row]) => Metric.update(waiting, row!.count)
      )

      const kept = <E>(what: string, work: Effect.Effect<void, E>) =>
        Effect.catchCause(work, (cause) => Effect.logWarning(what, cause))

      // What is claimed is begun: an end in between would leave it to lie until the claim lapses.
      yield* Effect.forkScoped(
        Effect.forever(
          Effect.andThen(
            Effect.timeoutOption(Queue.take(awake), 5 * seconds),
            Effect.uninterruptible(kept("mail to send was not looked for", look()))
          )
        )
      )
      const counts = Effect.repeat(kept("waiting mail was not counted", count), Schedule.spaced("15 seconds"))
      yield* Effect.forkScoped(Effect.delay(counts, "5 seconds"))

      return Mails.of({
        put: (draft, recipient, letter) => draft.add(mails, { ...row(letter, draft.millis), recipient }),
        row,
        wake
      })
    })
  )
}
