import { attachmentsOfNote } from "./attachments/AttachmentEdits.ts"
import { commentsOfNote } from "./comments/CommentEdits.ts"
import type { NotePart } from "./NotePart.ts"
import { remindersOfNote } from "./reminders/ReminderEdits.ts"
import { rows } from "../Resources.ts"
import { sharesOfNote } from "./shares/ShareEdits.ts"

/** The types of records that belong to notes. */
export const noteParts: ReadonlyArray<NotePart> = [attachmentsOfNote, commentsOfNote, remindersOfNote, sharesOfNote]

/** The types that a JSON export contains, each with the name of its array in the file of a note. */
export const exportedParts = noteParts.flatMap(({ exported, imported, table, type }) =>
  exported === undefined ? [] : [{ type, table, exported, imported, member: rows[type].counter! }]
)
