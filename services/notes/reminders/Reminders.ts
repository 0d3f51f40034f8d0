import { Clock, Context, Effect, Layer } from "effect"
import type { Condition, Forbidden, Invalid, Unavailable } from "../../Errors.ts"
import { readsOf, type RecordService } from "../../lists/RecordService.ts"
import { Mailer } from "../../mail/Mailer.ts"
import { Principal } from "../../Principal.ts"
import { Database, runSql } from "../../database/Database.ts"
import { syncAdapter } from "../../records/SyncAdapter.ts"
import { Writer } from "../../writer/Writer.ts"
import { traced } from "../../Traced.ts"
import { Quotas } from "../../workspaces/Quotas.ts"
import {
  type Reminder,
  type ReminderChannels,
  ReminderCreate,
  reminderList,
  reminders,
  ReminderUpdate
} from "./Reminder.ts"
import { ReminderClock } from "./ReminderClock.ts"
import * as NotePart from "../NotePart.ts"
import * as Edits from "./ReminderEdits.ts"

const channelsText = `SELECT EXISTS (SELECT FROM push_subscriptions WHERE user_id = $1) AS push, EXISTS (
    SELECT FROM webhooks WHERE workspace_id = $2 AND active AND coalesce(expires_at > $3, true)
      AND events && ARRAY['*', 'reminder.*', 'reminder.fired']
  ) AS webhook`

/** Times at which users are notified of notes (contract 5). */
export class Reminders extends Context.Service<
  Reminders,
  RecordService<Reminder, ReminderCreate, ReminderUpdate, Forbidden | Invalid> & {
    /** Which channels reach the caller now. */
    readonly channels: Effect.Effect<ReminderChannels, Unavailable, Principal>
  }
>()("sheaf/notes/reminders/Reminders") {
  static readonly layer = Layer.effect(
    Reminders,
    Effect.gen(function* () {
      const { read } = yield* Database
      const reads = yield* readsOf<Reminder>("Reminders", reminderList, Edits.records.missing)
      const writer = yield* Writer
      const quotas = yield* Quotas
      const clock = yield* ReminderClock

      const { hasSmtp } = yield* Mailer

      const channels = Effect.gen(function* () {
        const { user_id, workspace_id } = yield* Principal
        const now = new Date(yield* Clock.currentTimeMillis).toISOString()
        const [row] = yield* runSql<Omit<ReminderChannels, "email">>(read, channelsText, [user_id, workspace_id, now])
        return { ...row!, email: hasSmtp }
      }).pipe(Effect.withSpan("Reminders.channels"))

      const create = traced("Reminders.create")((input: ReminderCreate) =>
        Effect.tap(
          writer.change((draft) => Edits.create(draft, quotas, input), [NotePart.need(input.note_id)]),
          clock.expect
        )
      )

      const update = traced("Reminders.update")((id: string, input: ReminderUpdate, condition?: Condition<Reminder>) =>
        Effect.tap(
          writer.change((draft) => Edits.update(draft, id, input, condition), [[reminders, id]]),
          clock.expect
        )
      )

      const remove = traced("Reminders.delete")((id: string, condition?: Condition<Reminder>) =>
        writer.change((draft) => Edits.remove(draft, id, condition), [[reminders, id]])
      )

      const own = syncAdapter(Edits.records, {
        Create: ReminderCreate,
        Update: ReminderUpdate,
        create: (draft, input, one) => Effect.tap(Edits.create(draft, quotas, input, one), clock.expect),
        update: (draft, id, input) => Effect.tap(Edits.update(draft, id, input), clock.expect),
        delete: (draft, id) => Edits.remove(draft, id)
      })

      return Reminders.of({
        ...reads,
        channels,
        create,
        update,
        delete: remove,
        syncAdapter: Edits.pushed(own, ReminderUpdate)
      })
    })
  )
}
