import { attachmentsOfNote } from "./AttachmentEdits.ts"
import type { NotePart } from "./NotePart.ts"

/** All that hangs on notes. */
export const noteParts: ReadonlyArray<NotePart> = [attachmentsOfNote]
