import { syncedAttachments } from "../notes/attachments/AttachmentTable.ts"
import { syncedComments } from "../notes/comments/CommentTable.ts"
import { syncedNotebooks } from "../notes/notebooks/NotebookTable.ts"
import { syncedNotes } from "../notes/NoteTable.ts"
import { syncedReminders } from "../notes/reminders/ReminderTable.ts"
import { syncedTags } from "../notes/tags/TagTable.ts"
import { syncedTemplates } from "../notes/templates/TemplateTable.ts"
import type { Synced } from "../records/SyncedRecord.ts"

/** The types of records that this version syncs: all that sync and its description know of them follows from here. */
export const syncedTypes: ReadonlyArray<Synced> = [
  syncedNotes,
  syncedNotebooks,
  syncedTags,
  syncedTemplates,
  syncedAttachments,
  syncedComments,
  syncedReminders
]
