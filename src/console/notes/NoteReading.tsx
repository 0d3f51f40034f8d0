import { useEffect, useState } from "preact/hooks"
import { type Schemas, SheafError } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { open, route } from "../Navigation.ts"
import { attempt, messageOf, notify } from "../ui/Notices.tsx"
import type { Place } from "../workspace/Place.ts"
import type { NoteDraft } from "../drafts/NoteDraft.ts"
import { NoteHtml } from "./NoteHtml.tsx"

interface NoteReadingProps {
  readonly draft: NoteDraft
  readonly place: Place
}

/** A note as it is read. An unsaved text is saved first; while that is not possible, it is shown as it was written. */
export const NoteReading = ({ draft, place }: NoteReadingProps) => {
  const [rendered, setRendered] = useState<Schemas["RenderedNote"]>()
  const [failure, setFailure] = useState<string>()
  const [repetitions, setRepetitions] = useState(0)
  const note = draft.note.value
  const { title } = draft.content.value
  const isSaved = draft.isSaved.value
  /** Whether the server cannot have the text now. */
  const isWaiting =
    !isSaved && (draft.isOffline.value || draft.refusal.value !== undefined || draft.clash.value !== undefined)
  useEffect(() => void draft.save(), [draft])
  useEffect(() => {
    if (note === undefined || !isSaved) return
    const ended = new AbortController()
    place.client.renderNote({ id: note.id }, { signal: ended.signal }).then(
      (found) => (setRendered(found), setFailure(undefined)),
      (error: unknown) => {
        if (ended.signal.aborted) return
        if (error instanceof SheafError) setFailure(messageOf(error))
        else throw error
      }
    )
    return () => ended.abort()
  }, [note?.id, note?.version, isSaved, repetitions])
  const connections = place.connections.value
  useEffect(() => {
    if (failure !== undefined) setRepetitions((count) => count + 1)
  }, [connections])
  const toNote = (linked: string) =>
    void attempt(async () => {
      const filter = `title = "${linked.replaceAll(/["\\*]/g, "\\$&")}"`
      const { data } = await place.client.listNoteSummaries({ filter, limit: 1 })
      if (data[0] === undefined) notify(texts.notFound)
      else open(route.value.filter, data[0].id)
    })
  return (
    <article class="reading">
      <h1>{title === "" ? texts.untitled : title}</h1>
      {failure !== undefined && !isWaiting && <p class="banner">{failure}</p>}
      {isWaiting && <div class="source">{draft.content.value.body}</div>}
      {rendered !== undefined && !isWaiting && (
        <NoteHtml title={title} html={rendered.html} lang={rendered.lang} onNoteLink={toNote} />
      )}
    </article>
  )
}
