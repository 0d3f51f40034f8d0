import { useSignalEffect } from "@preact/signals"
import { useEffect, useRef, useState } from "preact/hooks"
import { upload, isProblem } from "../../client/SheafClient.ts"
import type { Editor } from "../editor/Editor.ts"
import { texts } from "../Messages.ts"
import { nonce } from "../PageData.ts"
import { IconButton } from "../ui/Button.tsx"
import { attempt, notify } from "../ui/Notices.tsx"
import type { Place } from "../workspace/Place.ts"
import { attachmentLink } from "./AttachmentLink.ts"
import type { NoteDraft } from "./NoteDraft.ts"

/** Maximum number of titles that are offered. */
const mostTitles = 8

interface NoteWritingProps {
  readonly draft: NoteDraft
  readonly place: Place
}

/** Uploads files to a note, and returns the Markdown that shows them. */
const uploaded = async (place: Place, note_id: string, files: ReadonlyArray<File>): Promise<string> => {
  const lines: Array<string> = []
  for (const file of files) {
    const onProgress = (sent: number, total: number) =>
      progress(file.name, total === 0 ? 100 : Math.floor((100 * sent) / total))
    try {
      const content_type = file.type === "" ? {} : { content_type: file.type }
      const { id } = await upload(
        place.client,
        { note_id, filename: file.name, content: file, ...content_type },
        { onProgress }
      )
      lines.push(attachmentLink(id, file))
    } catch (error) {
      if (!isProblem(error, "payload_too_large", "quota_exceeded")) throw error
      notify(texts.note.tooLarge(file.name))
    }
  }
  return lines.join("\n")
}

/** Shows the progress of an upload every quarter. */
let shownProgress = ""
const progress = (name: string, percent: number): void => {
  const text = texts.note.uploading(name, percent - (percent % 25))
  if (text === shownProgress) return
  shownProgress = text
  notify(text)
}

/** The title and the text of a note, as they are typed. */
export const NoteWriting = ({ draft, place }: NoteWritingProps) => {
  const host = useRef<HTMLDivElement>(null)
  const titleInput = useRef<HTMLTextAreaElement>(null)
  const fileInput = useRef<HTMLInputElement>(null)
  const editor = useRef<Editor | undefined>(undefined)
  const [isOutdated, setIsOutdated] = useState(false)
  const attach = (files: ReadonlyArray<File>, at: number) =>
    void attempt(async () => {
      // A new note is created first, even an empty one.
      if (draft.content.value.title === "") draft.type({ title: texts.untitled })
      await draft.save()
      const note = draft.note.value
      if (note === undefined) return
      const links = await uploaded(place, note.id, files)
      // The person reads the note meanwhile.
      if (editor.current === undefined) draft.type({ body: `${draft.content.value.body}\n${links}` })
      else editor.current.insert(links, at)
    })
  useEffect(() => {
    let isClosed = false
    const load = async () => {
      let module
      try {
        module = await import("../editor/Editor.ts")
      } catch {
        // The files of the editor are those of an earlier version of the server.
        return setIsOutdated(true)
      }
      if (isClosed || host.current === null) return
      editor.current = new module.Editor({
        parent: host.current,
        text: draft.content.value.body,
        label: texts.note.body,
        nonce,
        onChange: (body) => draft.type({ body }),
        onFiles: attach,
        complete: async (start, signal) => {
          const { data } = await place.client.suggestCompletions({ q: start, limit: mostTitles }, { signal })
          return data.filter(({ type }) => type === "title").map(({ text }) => text)
        }
      })
      if (draft.note.value === undefined && draft.content.value.title === "") titleInput.current?.focus()
      else editor.current.focus()
    }
    void load()
    return () => {
      isClosed = true
      editor.current?.close()
      editor.current = undefined
    }
  }, [draft])
  // Merged changes of others.
  useSignalEffect(() => {
    const { body } = draft.content.value
    if (editor.current !== undefined && editor.current.text !== body) editor.current.replace(body)
  })
  return (
    <div class="writing">
      <h1 class="visually-hidden">{draft.content.value.title || texts.untitled}</h1>
      <textarea
        ref={titleInput}
        class="title-input"
        rows={1}
        maxLength={200}
        aria-label={texts.note.title}
        placeholder={texts.note.title}
        value={draft.content.value.title}
        onInput={({ currentTarget }) =>
          draft.type({ title: currentTarget.value.replaceAll(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, " ") })
        }
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.isComposing) return
          event.preventDefault()
          editor.current?.focus()
        }}
      />
      {isOutdated ? (
        <p class="banner" role="alert">
          {texts.newVersionOfServer}{" "}
          <a href={location.href} target="_self" onClick={() => location.reload()}>
            {texts.reload}
          </a>
        </p>
      ) : (
        <>
          <input
            ref={fileInput}
            type="file"
            multiple
            hidden
            onChange={({ currentTarget }) => {
              attach([...(currentTarget.files ?? [])], editor.current?.cursor ?? 0)
              currentTarget.value = ""
            }}
          />
          <IconButton
            class="attach"
            icon="attach"
            label={texts.note.attach}
            onClick={() => fileInput.current?.click()}
          />
          <div ref={host} class="editor" />
        </>
      )}
    </div>
  )
}
