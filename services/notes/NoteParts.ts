import { attachmentsOfNote } from "./attachments/AttachmentEdits.ts"
import { commentsOfNote } from "./comments/CommentEdits.ts"
import type { NotePart } from "./NotePart.ts"
import { remindersOfNote } from "./reminders/ReminderEdits.ts"
import { type NoteType, rows } from "../Resources.ts"
import { sharesOfNote } from "./shares/ShareEdits.ts"

/** The types of records that belong to notes. A missing one does not compile. */
const parts: Readonly<Record<Exclude<NoteType, "note">, NotePart>> = {
  attachment: attachmentsOfNote,
  comment: commentsOfNote,
  reminder: remindersOfNote,
  share: sharesOfNote
}
export const noteParts = Object.values(parts)

/** The types that a JSON export contains, each with the name of its array in the file of a note. */
export const exportedParts = noteParts.flatMap(({ exported, imported, table, type }) =>
  exported === undefined ? [] : [{ type, table, exported, imported, member: rows[type].counter! }]
)
