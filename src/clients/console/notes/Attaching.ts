import { SheafError } from "../../client/SheafClient.ts"
import type { KeptPlace } from "../editor/Editor.ts"
import { texts } from "../Messages.ts"
import { attachingTexts } from "./AttachingMessages.ts"
import { whileSending } from "../Sending.ts"
import { endNotice, messageOf, notify } from "../ui/Notices.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { uploadedLink } from "./AttachmentLink.ts"
import type { NoteDraft } from "../drafts/NoteDraft.ts"

interface Attaching {
  readonly draft: NoteDraft
  readonly store: WorkspaceStore
  readonly files: ReadonlyArray<File>
  /** Where the links belong; by default the end of the text. */
  readonly at: KeptPlace | undefined
}

/** Shows the progress of a file, every quarter, until it is sent. */
const progressOf = (name: string): ((sent: number, total: number) => void) => {
  let shown = -1
  return (sent, total) => {
    const percent = total === 0 ? 100 : Math.floor((4 * sent) / total) * 25
    if (percent === shown) return
    shown = percent
    if (percent === 100) endNotice(name)
    else notify(attachingTexts.uploading(name, percent), undefined, name)
  }
}

/** Why a file was not attached. Other errors are defects. */
const reasonOf = (name: string, error: unknown): string => {
  // The browser cannot read it, such as a folder, or a file that was changed or removed meanwhile.
  if (error instanceof DOMException) return attachingTexts.unreadable(name)
  if (error instanceof SheafError && error.problem.code === "payload_too_large") return attachingTexts.tooLarge(name)
  return attachingTexts.notAttached(name, messageOf(error))
}

/** Uploads a file, and returns the Markdown that shows it; undefined if the note cannot be created. */
const uploaded = async ({ draft, store }: Attaching, file: File): Promise<string | undefined> => {
  // A new note is created first, even an empty one.
  if (draft.note.value === undefined && draft.content.value.title.trim() === "") draft.type({ title: texts.untitled })
  await draft.save()
  const note = draft.note.value
  if (note === undefined) return undefined
  return uploadedLink(store.client, note.id, file, { onProgress: progressOf(file.name) })
}

/** Writes a line at the end of a text. */
const append = (draft: NoteDraft, line: string): void => {
  const { body } = draft.content.value
  draft.type({ body: `${body}${body === "" || body.endsWith("\n") ? "" : "\n"}${line}` })
}

/**
 * Uploads files to a note one by one, and writes the link of each into its text when it is uploaded, also after the note
 * was closed. A file that fails is shown with its name, and the others follow.
 */
export const attach = (attaching: Attaching): Promise<void> =>
  whileSending(async () => {
    const { at, draft, files } = attaching
    let isFirst = true
    try {
      for (const file of files) {
        const { name } = file
        try {
          const link = await uploaded(attaching, file)
          if (link === undefined) {
            const reason = draft.trouble.value?.kind === "offline" ? texts.offline : texts.saving.refused
            notify(attachingTexts.notAttached(name, reason), undefined, name)
          } else {
            // Each link is a line of its own, also before a heading or a list.
            const line = at?.startsText() === true ? `${link}\n` : isFirst ? link : `\n${link}`
            if (at?.insert(line) !== true) append(draft, link)
            isFirst = false
          }
        } catch (error) {
          notify(reasonOf(name, error), undefined, name)
        }
      }
    } finally {
      at?.release()
    }
  })
