import { Effect } from "effect"
import type { Forbidden } from "../../Errors.ts"
import * as ReminderEdits from "../../notes/reminders/ReminderEdits.ts"
import type { ReminderRow } from "../../notes/reminders/Reminder.ts"
import type { Quotas } from "../../workspaces/Quotas.ts"
import type { Draft } from "../../writer/Draft.ts"
import type { NoteItem } from "../formats/Item.ts"
import { type ImportNames, isImportedReminder } from "./ImportNames.ts"

/**
 * Writes the reminders of a note. Returns the refusals of quotas. `there` are its current ones: those that an earlier
 * import of the same user created, and that were not changed since, are removed if the source no longer has them.
 */
export const writeReminders = Effect.fnUntraced(function* (
  draft: Draft,
  quotas: Quotas["Service"],
  names: ImportNames,
  {
    item,
    note_id,
    there = []
  }: { readonly item: NoteItem; readonly note_id: string; readonly there: ReadonlyArray<ReminderRow> | undefined }
) {
  const refusals: Array<Forbidden> = []
  const wanted = new Set(item.reminders.map(({ remind_at }) => new Date(remind_at).toISOString()))
  for (const row of there) {
    const isUntouched = row.revision === 1 && row.user_id === draft.actor.user_id
    if (!isUntouched || !isImportedReminder(row.id, note_id, row.remind_at)) continue
    if (!wanted.has(row.remind_at)) yield* ReminderEdits.removeRow(draft, row)
  }
  for (const remind_at of wanted) {
    if (there.some((row) => row.remind_at === remind_at || isImportedReminder(row.id, note_id, remind_at))) continue
    const own = { id: names.newReminder(note_id, remind_at), revision: 1 }
    yield* Effect.catchTag(ReminderEdits.create(draft, quotas, { note_id, remind_at }, own), "Forbidden", (refused) =>
      Effect.sync(() => refusals.push(refused))
    )
  }
  return refusals
})
