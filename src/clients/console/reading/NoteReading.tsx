import type { ComponentChildren } from "preact"
import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import { type Schemas, SheafError } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { open, route, writing } from "../Navigation.ts"
import { attempt, messageOf, notify } from "../ui/Notices.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import type { NoteContent } from "../drafts/NoteContent.ts"
import type { NoteDraft } from "../drafts/NoteDraft.ts"
import { differOnlyInTicks } from "../drafts/Ticks.ts"
import { NoteHtml } from "./NoteHtml.tsx"

interface NoteReadingProps {
  readonly draft: NoteDraft
  readonly store: WorkspaceStore
  /** What is shown below the title. */
  readonly children: ComponentChildren
}

/** A rendered note. */
interface Read {
  readonly rendered: Schemas["RenderedNote"]
  /** The note that was rendered, if it is the known one. */
  readonly note: Schemas["Note"] | undefined
}

/** A note as it is read. An unsaved text is saved first; while that is not possible, it is shown as it was written. */
export const NoteReading = ({ children, draft, store }: NoteReadingProps) => {
  const [read, setRead] = useState<Read>()
  const [failure, setFailure] = useState<string>()
  const [repetitions, setRepetitions] = useState(0)
  const note = draft.note.value
  const { body, title } = draft.content.value
  const isSaved = draft.isSaved.value
  /** Whether the server cannot have the text now. */
  const isWaiting = !isSaved && (draft.trouble.value !== undefined || draft.conflict.value !== undefined)
  /** Whether what is rendered has a text, but for ticks, which its boxes show. */
  const hasText = (text: NoteContent): boolean =>
    read?.note?.title === text.title && differOnlyInTicks(read.note.body, text.body)
  useEffect(() => void draft.save(), [draft])
  useEffect(() => {
    if (note === undefined || !isSaved) return
    const isShown = read?.rendered.id === note.id && read.note?.body !== note.body && hasText(note)
    if (isShown && failure === undefined) return
    const ended = new AbortController()
    store.client.renderNote({ id: note.id }, { signal: ended.signal }).then(
      (rendered) => {
        const { value } = draft.note
        setRead({ rendered, note: value?.version === rendered.version ? value : undefined })
        setFailure(undefined)
      },
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
  const seen = store.canWrite.value ? read?.note?.body : undefined
  const enliven = useCallback(
    (page: Document) => {
      let stop = (): void => undefined
      let isLeft = false
      if (seen !== undefined && page.querySelector("[data-line]") !== null) {
        // Without the file, which comes from the server, the boxes stay as they are.
        import("../OnDemand.ts").then(
          ({ tickable }) => {
            if (!isLeft) stop = tickable(page, draft, seen, () => setRepetitions((count) => count + 1))
          },
          () => undefined
        )
      }
      return () => {
        isLeft = true
        stop()
      }
    },
    [draft, seen]
  )
  const isShown = read !== undefined && (!isWaiting || hasText(draft.content.value))
  return (
    <article class="reading">
      <h1 dir="auto">{title === "" ? texts.untitled : title}</h1>
      {children}
      {failure !== undefined && !isWaiting && <p class="banner">{failure}</p>}
      {(isWaiting || failure !== undefined) && !isShown && (
        <div class="source" dir="auto">
          {body}
        </div>
      )}
      {isShown && (
        <NoteHtml
          title={title}
          html={read.rendered.html}
          lang={read.rendered.lang}
          anchor={anchor}
          onNote={(id, anchor) => open(filter, id, { anchor })}
          onMissingNote={(link) => void make(link)}
          onPage={enliven}
        />
      )}
    </article>
  )
}
