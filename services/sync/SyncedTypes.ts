import { syncedAttachments } from "../notes/attachments/Attachment.ts"
import { Attachments } from "../notes/attachments/Attachments.ts"
import { syncedComments } from "../notes/comments/Comment.ts"
import { Comments } from "../notes/comments/Comments.ts"
import { syncedNotebooks } from "../notes/notebooks/Notebook.ts"
import { Notebooks } from "../notes/notebooks/Notebooks.ts"
import { Notes } from "../notes/Notes.ts"
import { syncedNotes } from "../notes/NoteTable.ts"
import { Reminders } from "../notes/reminders/Reminders.ts"
import { syncedReminders } from "../notes/reminders/Reminder.ts"
import { Tags } from "../notes/tags/Tags.ts"
import { syncedTags } from "../notes/tags/Tag.ts"
import { Templates } from "../notes/templates/Templates.ts"
import { syncedTemplates } from "../notes/templates/Template.ts"
import type { SyncType } from "../Resources.ts"
import type { SyncedRecord } from "../records/SyncedRecord.ts"

/**
 * The types of records that this version syncs, each with the service whose `syncAdapter` a push uses. A missing one does
 * not compile.
 */
export const syncedRecords = {
  note: [syncedNotes, Notes],
  notebook: [syncedNotebooks, Notebooks],
  tag: [syncedTags, Tags],
  template: [syncedTemplates, Templates],
  attachment: [syncedAttachments, Attachments],
  comment: [syncedComments, Comments],
  reminder: [syncedReminders, Reminders]
} as const satisfies Readonly<Record<SyncType, readonly [SyncedRecord, unknown]>>

export const syncedTypes: ReadonlyArray<SyncedRecord> = Object.values(syncedRecords).map(([synced]) => synced)
