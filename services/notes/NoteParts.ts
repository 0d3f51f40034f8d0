import { attachmentsOfNote } from "./AttachmentEdits.ts"
import { commentsOfNote } from "./CommentEdits.ts"
import type { NotePart } from "./NotePart.ts"
import { remindersOfNote } from "./ReminderEdits.ts"
import { sharesOfNote } from "./ShareEdits.ts"

/** All that hangs on notes. */
export const noteParts: ReadonlyArray<NotePart> = [attachmentsOfNote, commentsOfNote, remindersOfNote, sharesOfNote]
