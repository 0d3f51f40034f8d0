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

/** Fired reminders that are still to be sent to devices of their users. */
const reminderPushes = Table.make(
  "reminder_pushes",
  {
    id: Column.text(),
    user_id: Column.text(),
    reminder_id: Column.text(),
    /** The message, as JSON. */
    payload: Column.text(),
    /** Devices that an attempt did not reach, and that are tried again; empty: all devices. */
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

/** Milliseconds after which a device is not tried again: it receives the fired reminder with its next sync. */
const maxRetryTime = 24 * hours

export const backoff = Queue.backoffBy([5 * seconds, 30 * seconds, 2 * minutes, 10 * minutes, hours], maxRetryTime)

/** Maximum number of messages in flight on a node, and to one user. Most wait for a request slot (`PushEndpoints`). */
const concurrency = 100
const concurrencyPerUser = 4

/** Notifies devices of fired reminders by Web Push: at least once, until each has the message or never will. */
export class ReminderPushes extends Context.Service<
  ReminderPushes,
  {
    /** Adds a message to the draft that fires the reminder. After the draft is stored, `wake` sends it at once. */
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
          // Only the newest firing of a reminder counts.
          topic: reminder_id,
          ttl: Math.max(0, Math.round((Date.parse(created_at) + maxRetryTime - now) / 1000)),
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
            id: `${Ids.base62(draft.millis, 8)}${draft.randomness.text(14)}`,
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
