import { Schema } from "effect"
import * as Fields from "../../Fields.ts"
import { listOf } from "../../lists/ListSpec.ts"
import * as ImportedRecord from "../../records/ImportedRecord.ts"
import type { SyncedRecord } from "../../records/SyncedRecord.ts"
import * as Column from "../../tables/Column.ts"
import * as Table from "../../tables/Table.ts"
import * as Text from "../../Text.ts"
import { inNote } from "../NoteTable.ts"

export const channels = ["push", "email", "webhook"] as const

const about = {
  note_id: "The note.",
  remind_at: { description: "When it fires.", examples: ["2026-03-01T12:00:00.000Z"] },
  channel: {
    description:
      "How its creator is notified: `push` by Web Push to the creator's devices and an event in the stream, `email` by mail, or as `push` if the server sends none, `webhook` only by the event `reminder.fired`.",
    examples: ["push" as const]
  },
  done: {
    description: "Whether it has fired or was dismissed. True dismisses the reminder, false arms it again.",
    examples: [false]
  }
}

/** A reminder (contract 5). */
export const Reminder = Schema.Struct({
  id: Fields.ownId("rm"),
  note_id: Fields.id("nt", about.note_id),
  remind_at: Fields.time(about.remind_at.description),
  channel: Schema.Literals(channels).annotate(about.channel),
  done: Schema.Boolean.annotate(about.done),
  user_id: Fields.id("us", "The user who created it and is notified."),
  created_at: Fields.createdAt,
  updated_at: Fields.updatedAt
}).annotate({ identifier: "Reminder" })
export type Reminder = typeof Reminder.Type

const note_id = Text.notBlank(100).annotate(Fields.aboutId("nt", about.note_id))
const remind_at = Text.timestamp(about.remind_at)

const writable = {
  note_id: Schema.optionalKey(note_id),
  remind_at: Schema.optionalKey(remind_at),
  channel: Schema.optionalKey(Text.oneOf(channels, "invalid").annotate(about.channel)),
  done: Schema.optionalKey(Schema.Boolean.annotate(about.done))
}

export const ReminderCreate = Schema.Struct({ ...writable, note_id, remind_at }).annotate({
  identifier: "ReminderCreate"
})
export type ReminderCreate = typeof ReminderCreate.Type

/** Which channels reach the caller. */
export const ReminderChannels = Schema.Struct({
  push: Schema.Boolean.annotate({
    description: "Whether a device of the caller is registered for Web Push.",
    examples: [true]
  }),
  email: Schema.Boolean.annotate({
    description:
      "Whether the server sends mail. If not, a reminder by `email` notifies as `push` does, and the mail stays on the server.",
    examples: [true]
  }),
  webhook: Schema.Boolean.annotate({
    description: "Whether an active webhook of the workspace receives `reminder.fired`.",
    examples: [false]
  })
}).annotate({ identifier: "ReminderChannels" })
export type ReminderChannels = typeof ReminderChannels.Type

export const ReminderUpdate = Schema.Struct(writable).annotate({ identifier: "ReminderUpdate" })
export type ReminderUpdate = typeof ReminderUpdate.Type

/** A reminder of a JSON export. */
export const ImportedReminder = ImportedRecord.record("rm", {
  remind_at: ImportedRecord.time,
  channel: Text.oneOf(channels, "invalid"),
  done: Schema.Boolean,
  user_id: ImportedRecord.id("us")
})
export type ImportedReminder = typeof ImportedReminder.Type

export const reminders = Table.ofRecord("reminders", Reminder, {
  internal: {
    revision: Column.int,
    /** Whether it is in the trash, with its note. */
    trashed: Column.boolean,
    /** A process is about to fire it: until then, no other process claims it. */
    claimed_until: Column.nullable(Column.text()),
    /** The presence number of that process, by which others check that it is alive. */
    claimed_by: Column.nullable(Column.int)
  },
  key: ["id"],
  within: inNote,
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

export const syncedReminders: SyncedRecord = {
  type: "reminder",
  table: reminders,
  data: Reminder,
  pushed: Schema.Struct({
    ...ReminderUpdate.fields,
    note_id: Schema.optionalKey(Fields.reference("nt", "The note."))
  }).annotate({ identifier: "PushReminderData" }),
  references: ["note_id"],
  removals: ["reminder.deleted"]
}
