import { Clock, Context, Effect, Layer } from "effect"
import * as Ids from "../../Ids.ts"
import * as Column from "../../tables/Column.ts"
import { Database } from "../../database/Database.ts"
import type { Draft } from "../../writer/Draft.ts"
import * as Queue from "../../jobs/Queue.ts"
import type { Claimed } from "../../jobs/QueueStore.ts"
import * as Table from "../../tables/Table.ts"
import { WebPush } from "../../webpush/WebPush.ts"
import type { Reminder } from "./Reminder.ts"

/** A reminder that has fired, on its way to the devices of whom it tells. */
export const reminderPushes = Table.make(
  "reminder_pushes",
  {
    id: Column.text(),
    user_id: Column.text(),
    reminder_id: Column.text(),
    /** What the devices get, as JSON. */
    payload: Column.text(),
    /** Those that a try did not reach, and that are tried again; none: all. */
    devices: Column.texts(),
    attempts: Column.int,
    next_at: Column.text(),
    created_at: Column.text()
  },
  { key: ["id"] }
)
type PushRow = Table.Row<typeof reminderPushes>

const seconds = 1_000
const minutes = 60 * seconds
const hours = 60 * minutes

/** A device that was not reached for so long is told no more: it sees by its next sync that the reminder has fired. */
const patience = 24 * hours

export const backoff = Queue.backoffBy([5 * seconds, 30 * seconds, 2 * minutes, 10 * minutes, hours], patience)

/** Messages that are under way at a time on a node, and to one user: most wait for places of requests (`PushEndpoints`). */
const concurrency = 100
const concurrencyPerUser = 4

/** Tells devices by Web Push that reminders have fired: at least once, until each has taken it or never will. */
export class ReminderPushes extends Context.Service<
  ReminderPushes,
  {
    /** Puts a message into the draft that fires the reminder. Once that is stored, `wake` sends it at once. */
    readonly put: (draft: Draft, reminder: Reminder, title: string) => void
    readonly wake: Effect.Effect<void>
  }
>()("sheaf/notes/reminders/ReminderPushes") {
  static readonly layer = Layer.effect(
    ReminderPushes,
    Effect.gen(function* () {
      const { write: sql } = yield* Database
      const webPush = yield* WebPush

      const remember = ({ id, workspace_id }: Claimed<PushRow>, devices: ReadonlyArray<string>) =>
        sql.unsafe("UPDATE reminder_pushes SET devices = $3::text[] WHERE workspace_id = $1 AND id = $2", [
          workspace_id,
          id,
          devices
        ])

      const send = Effect.fnUntraced(function* (push: Claimed<PushRow>) {
        const { created_at, devices, payload, reminder_id, user_id } = push
        const now = yield* Clock.currentTimeMillis
        const message = {
          user_id,
          // The newest firing of a reminder is the one that counts.
          topic: reminder_id,
          ttl: Math.max(0, Math.round((Date.parse(created_at) + patience - now) / 1000)),
          urgency: "high" as const,
          payload: JSON.parse(payload) as object,
          ...(devices.length === 0 ? {} : { devices })
        }
        const outcomes = yield* Effect.mapError(
          webPush.send(message),
          ({ detail }) => new Queue.Retry({ reason: detail })
        )
        const failed = outcomes.filter(({ outcome }) => outcome === "failed")
        if (failed.length === 0) return
        yield* Effect.orDie(
          remember(
            push,
            failed.map(({ device_id }) => device_id)
          )
        )
        return yield* new Queue.Retry({ reason: failed[0]!.detail })
      })

      const { wake } = yield* Queue.make({
        table: reminderPushes,
        key: "user_id",
        concurrency,
        concurrencyPerKey: { onEach: concurrencyPerUser },
        run: send,
        backoff,
        failed: (push, { outcome, reason }) =>
          Effect.logDebug(`reminder ${push.reminder_id} was ${outcome}: ${reason}`),
        outcomes: { done: "sent", retried: "retried", dropped: "refused", given_up: "expired" },
        drain: "10 seconds"
      })

      return ReminderPushes.of({
        put: (draft, reminder, title) => {
          const { id: reminder_id, note_id, remind_at, user_id } = reminder
          draft.add(reminderPushes, {
            id: `${Ids.base62(draft.millis, 8)}${Ids.random(14)}`,
            user_id,
            reminder_id,
            payload: JSON.stringify({
              type: "reminder",
              id: reminder_id,
              workspace_id: draft.workspace_id,
              note_id,
              title,
              remind_at
            }),
            devices: [],
            attempts: 0,
            next_at: draft.now,
            created_at: draft.now
          })
        },
        wake
      })
    })
  )
}
