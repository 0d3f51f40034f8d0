import { Schema } from "effect"
import { reference } from "../../Fields.ts"
import { listOf } from "../../lists/ListSpec.ts"
import * as Column from "../../tables/Column.ts"
import type { Synced } from "../../records/SyncedRecord.ts"
import * as Table from "../../tables/Table.ts"
import { Reminder, ReminderUpdate } from "./Reminder.ts"

export const reminders = Table.ofRecord("reminders", Reminder, {
  internal: {
    revision: Column.int,
    /** In the trash, with its note. */
    trashed: Column.boolean,
    /** Some process is about to fire it: no other one looks at it until then. */
    claimed_until: Column.nullable(Column.text()),
    /** The number that the process holds, by which others see that it lives. */
    claimed_by: Column.nullable(Column.int)
  },
  key: ["id"],
  weigh: () => 400
})
export type ReminderRow = Table.Row<typeof reminders>

export const reminderList = listOf(reminders.shape, {
  path: "/reminders",
  from: reminders.name,
  sort: ["remind_at", "created_at"],
  filter: ["id", "note_id", "remind_at", "channel", "done"],
  enums: ["channel"],
  indexed: { id: "few", note_id: "few", remind_at: "order" },
  hidden: [{ condition: "NOT trashed", shownBy: [] }]
})

export const syncedReminders: Synced = {
  type: "reminder",
  name: "Reminder",
  prefix: "rm",
  table: reminders,
  data: Reminder,
  pushed: Schema.Struct({
    ...ReminderUpdate.fields,
    note_id: Schema.optionalKey(reference("nt", "The note."))
  }).annotate({ identifier: "PushReminderData" }),
  references: ["note_id"],
  removals: ["reminder.deleted"]
}
