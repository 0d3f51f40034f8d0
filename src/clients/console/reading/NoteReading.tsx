import type { ComponentChildren } from "preact"
import { useCallback, useEffect, useState } from "preact/hooks"
import { type Schemas, SheafError } from "../../client/SheafClient.ts"
import { isKept } from "../offline/CopyMarks.ts"
import { texts } from "../Messages.ts"
import { open, route } from "../Navigation.ts"
import { orCopy } from "../offline/orCopy.ts"
import { Properties } from "../properties/Properties.tsx"
import { whenLoaded } from "../ui/lazily.tsx"
import { loaded, messageOf } from "../ui/Notices.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import type { NoteContent } from "../drafts/NoteContent.ts"
import type { NoteDraft } from "../drafts/NoteDraft.ts"
import { differOnlyInTicks } from "../drafts/Ticks.ts"
import { NoteHtml } from "./NoteHtml.tsx"

const loadLinks = () => import("../links/LinkParts.ts")

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
  /** A text that the server cannot have now is rendered here, as is each text while the server is away. */
  const isHere = isWaiting && isKept(store.account)
  useEffect(() => {
    if (note === undefined || !(isSaved || isHere)) return
    const text = isSaved ? note : { ...note, title, body }
    const isShown = read?.rendered.id === note.id && read.note?.body !== text.body && hasText(text)
    if (isShown && failure === undefined) return
    const ended = new AbortController()
    const here = async () => (await import("../AfterStart.ts")).renderHere(store, text)
    const ask = () => store.client.renderNote({ id: note.id }, { signal: ended.signal })
    const again = () => setRepetitions((count) => count + 1)
    ;(isSaved ? orCopy(store, ask, here, again) : here()).then(
      (rendered) => {
        if (ended.signal.aborted) return
        const { value } = draft.note
        setRead({ rendered, note: !isSaved ? text : value?.version === rendered.version ? value : undefined })
        setFailure(undefined)
      },
      (error: unknown) => {
        if (ended.signal.aborted) return
        if (error instanceof SheafError) setFailure(messageOf(error))
        else throw error
      }
    )
    return () => ended.abort()
  }, [note?.id, note?.version, isSaved, isHere && title + body, repetitions])
  const connections = store.connections.value
  useEffect(() => {
    if (failure !== undefined) setRepetitions((count) => count + 1)
  }, [connections])
  const { anchor, filter } = route.value
  const seen = store.canWrite.value ? read?.note?.body : undefined
  const activateBoxes = useCallback(
    (page: Document) =>
      seen === undefined || page.querySelector("[data-line]") === null
        ? () => undefined
        : whenLoaded(import("../OnDemand.ts"), ({ tickable }) =>
            tickable(page, draft, seen, () => setRepetitions((count) => count + 1))
          ),
    [draft, seen]
  )
  const isShown = read !== undefined && (!isWaiting || hasText(draft.content.value))
  return (
    <article class="reading">
      <h1 dir="auto">{title === "" ? texts.untitled : title}</h1>
      {children}
      <Properties draft={draft} store={store} onText={(body) => draft.type({ body })} />
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
          onTarget={(target) => void loaded(loadLinks).then((parts) => parts?.followTarget(store, draft, target))}
          onHover={(link, target) => void whenLoaded(loadLinks(), ({ preview }) => preview(link, target, store, draft))}
          onPage={activateBoxes}
        />
      )}
    </article>
  )
}
