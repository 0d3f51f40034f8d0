import { useEffect, useRef, useState } from "preact/hooks"
import { type Schemas, SheafError } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { open, route, writing } from "../Navigation.ts"
import { attempt, messageOf, notify } from "../ui/Notices.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import type { NoteDraft } from "../drafts/NoteDraft.ts"
import { NoteHtml } from "./NoteHtml.tsx"

interface NoteReadingProps {
  readonly draft: NoteDraft
  readonly store: WorkspaceStore
}

/** A note as it is read. An unsaved text is saved first; while that is not possible, it is shown as it was written. */
export const NoteReading = ({ draft, store }: NoteReadingProps) => {
  const [rendered, setRendered] = useState<Schemas["RenderedNote"]>()
  const [failure, setFailure] = useState<string>()
  const [repetitions, setRepetitions] = useState(0)
  const note = draft.note.value
  const { title } = draft.content.value
  const isSaved = draft.isSaved.value
  /** Whether the server cannot have the text now. */
  const isWaiting = !isSaved && (draft.trouble.value !== undefined || draft.conflict.value !== undefined)
  useEffect(() => void draft.save(), [draft])
  useEffect(() => {
    if (note === undefined || !isSaved) return
    const ended = new AbortController()
    store.client.renderNote({ id: note.id }, { signal: ended.signal }).then(
      (found) => (setRendered(found), setFailure(undefined)),
      (error: unknown) => {
        if (ended.signal.aborted) return
        if (error instanceof SheafError) setFailure(messageOf(error))
        else throw error
      }
    )
    return () => ended.abort()
  }, [note?.id, note?.version, isSaved, repetitions])
  const connections = store.connections.value
  useEffect(() => {
    if (failure !== undefined) setRepetitions((count) => count + 1)
  }, [connections])
  const { anchor, filter } = route.value
  const isMaking = useRef(false)
  const make = async (link: string) => {
    if (isMaking.current) return
    if (!store.canWrite.value || link.startsWith("nt_")) return notify(texts.notFound)
    isMaking.current = true
    await attempt(async () => {
      const { makeMissingNote } = await import("../OnDemand.ts")
      open(filter, await makeMissingNote(store, link, draft.notebook_id), { state: writing })
    })
    isMaking.current = false
  }
  return (
    <article class="reading">
      <h1>{title === "" ? texts.untitled : title}</h1>
      {failure !== undefined && !isWaiting && <p class="banner">{failure}</p>}
      {isWaiting && <div class="source">{draft.content.value.body}</div>}
      {rendered !== undefined && !isWaiting && (
        <NoteHtml
          title={title}
          html={rendered.html}
          lang={rendered.lang}
          anchor={anchor}
          onNote={(id, anchor) => open(filter, id, { anchor })}
          onMissingNote={(link) => void make(link)}
        />
      )}
    </article>
  )
}
