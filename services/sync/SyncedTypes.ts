import { syncedAttachments } from "../notes/AttachmentTable.ts"
import { syncedComments } from "../notes/CommentTable.ts"
import { syncedNotebooks } from "../notes/NotebookTable.ts"
import { syncedNotes } from "../notes/NoteTable.ts"
import { syncedReminders } from "../notes/ReminderTable.ts"
import { syncedTags } from "../notes/TagTable.ts"
import { syncedTemplates } from "../notes/TemplateTable.ts"
import type { Synced } from "../storage/Synced.ts"

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
