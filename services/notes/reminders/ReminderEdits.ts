import { Effect } from "effect"
import type { Condition } from "../../Errors.ts"
import type { Draft } from "../../writer/Draft.ts"
import type { OwnId } from "../../records/SyncAdapter.ts"
import * as Records from "../../records/Records.ts"
import type { Quotas } from "../../workspaces/Quotas.ts"
import * as NotePart from "../NotePart.ts"
import {
  ImportedReminder,
  Reminder,
  type ReminderCreate,
  type ReminderRow,
  reminders,
  type ReminderUpdate
} from "./Reminder.ts"

/** Operations on reminders in a draft. A reminder that is neither done nor in the trash is armed. */

export const records = Records.of({ type: "reminder", table: reminders })

const unclaimed = { claimed_until: null, claimed_by: null }

const iso = (time: string): string => new Date(time).toISOString()

const noteRecords = NotePart.of<ReminderRow, Reminder, ImportedReminder>({
  records,
  deletedEvent: "reminder.deleted",
  restoredEvent: () => "reminder.updated",
  exported: { data: Reminder, texts: [] },
  imported: {
    schema: ImportedReminder,
    // A reminder notifies its creator: the importer.
    row: ({ actor: { user_id } }, reminder) =>
      Effect.succeed(
        user_id === null ? undefined : { ...reminder, user_id, remind_at: iso(reminder.remind_at), ...unclaimed }
      )
  }
})
export const remindersOfNote = noteRecords.part
export const { ofNote, pushed, remove: removeRow } = noteRecords

const noteOf = Effect.fnUntracedEager(function* (draft: Draft, note_id: string) {
  if (!(yield* NotePart.isLive(draft, note_id))) return yield* NotePart.namesNoNote
  yield* noteRecords.checkCapacity(draft, note_id)
})

export const create = Effect.fnUntracedEager(function* (
  draft: Draft,
  quotas: Quotas["Service"],
  { channel = "push", done = false, note_id, remind_at }: ReminderCreate,
  own: OwnId = { id: draft.newId("rm"), revision: 1 }
) {
  yield* noteOf(draft, note_id)
  yield* quotas.take(draft, "reminders", 1)
  return records.put(
    draft,
    {
      ...own,
      note_id,
      remind_at: iso(remind_at),
      channel,
      done,
      user_id: draft.actor.user_id!,
      created_at: draft.now,
      updated_at: draft.now,
      trashed: false,
      ...unclaimed
    },
    "reminder.created"
  )
})

/** Changes only the given fields. A new time in the future arms the reminder again. */
export const update = Effect.fnUntracedEager(function* (
  draft: Draft,
  id: string,
  input: ReminderUpdate,
  condition?: Condition<Reminder>
) {
  const before = yield* noteRecords.expected(draft, id, condition)
  const remind_at = input.remind_at === undefined ? before.remind_at : iso(input.remind_at)
  const isAhead = input.remind_at !== undefined && remind_at > draft.now
  const { channel = before.channel, done = isAhead ? false : before.done, note_id = before.note_id } = input
  if (
    remind_at === before.remind_at &&
    channel === before.channel &&
    done === before.done &&
    note_id === before.note_id
  ) {
    return reminders.show(before)
  }
  if (note_id !== before.note_id) yield* noteOf(draft, note_id)
  const row = { ...before, remind_at, channel, done, note_id, ...unclaimed }
  return records.put(
    draft,
    { ...row, revision: draft.revisionAfter(before.revision), updated_at: draft.now },
    "reminder.updated"
  )
})

export const remove = Effect.fnUntracedEager(function* (draft: Draft, id: string, condition?: Condition<Reminder>) {
  yield* noteRecords.remove(draft, yield* noteRecords.expected(draft, id, condition))
})

/** Fires a reminder and returns it; undefined if it is not armed or not due. */
export const fire = Effect.fnUntracedEager(function* (draft: Draft, id: string) {
  const before = yield* draft.get(reminders, id)
  if (before === undefined || before.trashed || before.done || before.remind_at > draft.now) return undefined
  const row = {
    ...before,
    done: true,
    ...unclaimed,
    revision: draft.revisionAfter(before.revision),
    updated_at: draft.now
  }
  return records.put(draft, row, "reminder.fired")
})
