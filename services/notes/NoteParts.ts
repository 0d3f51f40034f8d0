import { attachmentsOfNote } from "./attachments/AttachmentEdits.ts"
import { commentsOfNote } from "./comments/CommentEdits.ts"
import type { NotePart } from "./NotePart.ts"
import { remindersOfNote } from "./reminders/ReminderEdits.ts"
import { sharesOfNote } from "./shares/ShareEdits.ts"

/** All that hangs on notes. */
export const noteParts: ReadonlyArray<NotePart> = [attachmentsOfNote, commentsOfNote, remindersOfNote, sharesOfNote]
