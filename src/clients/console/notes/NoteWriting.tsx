import { effect } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { SheafError } from "../../client/SheafClient.ts"
import type { Editor } from "../editor/Editor.ts"
import { loadEditor, type WritingParts } from "../editor/EditorModule.ts"
import { texts } from "../Messages.ts"
import { route } from "../Navigation.ts"
import { nonce } from "../PageData.ts"
import { Properties } from "../properties/Properties.tsx"
import { maxUnresolved } from "../templates/TemplateMenu.tsx"
import { Button } from "../ui/Button.tsx"
import { whenLoaded } from "../ui/lazily.tsx"
import { attempt, loaded, notify } from "../ui/Notices.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import type { NoteDraft } from "../drafts/NoteDraft.ts"

export const loadLinks = () => import("../links/LinkParts.ts")

interface NoteWritingProps {
  readonly draft: NoteDraft
  readonly store: WorkspaceStore
  /** What is shown below the title. */
  readonly children: ComponentChildren
}

/** Why the editor is not there: no network, or its files are those of an earlier version of the server. */
type Missing = "offline" | "outdated"

const reasonOf = (store: WorkspaceStore): Promise<Missing> =>
  store.client.getSyncCursor({}).then(
    () => "outdated",
    (error: unknown) => {
      if (error instanceof SheafError) return "offline"
      throw error
    }
  )

/** The title and the text of a note, as they are typed. */
export const NoteWriting = ({ children, draft, store }: NoteWritingProps) => {
  const host = useRef<HTMLDivElement>(null)
  const titleInput = useRef<HTMLTextAreaElement>(null)
  const fileInput = useRef<HTMLInputElement>(null)
  const editor = useRef<Editor | undefined>(undefined)
  /** The title before it was typed; empty for a new note. */
  const former = useRef<string | undefined>(undefined)
  const leaveTitle = async () => {
    const before = former.current
    former.current = undefined
    if (!before) return
    await draft.save()
    const { note, trouble } = draft
    if (note.value === undefined || note.value.title === before || trouble.value !== undefined) return
    await (await loaded(loadLinks))?.askAboutLinks(store, note.value.id)
  }
  useEffect(() => () => void leaveTitle(), [draft])
  const [missing, setMissing] = useState<Missing>()
  const [tries, setTries] = useState(0)
  const [parts, setParts] = useState<WritingParts>()
  /** Whether a form replaces the front matter, and whether the editor shows it all the same. */
  const isCovered = useRef(false)
  const [isSource, setIsSource] = useState(false)
  useEffect(() => {
    let isClosed = false
    const load = async () => {
      let module
      try {
        module = await loadEditor(tries)
      } catch {
        const reason = await reasonOf(store)
        if (!isClosed) setMissing(reason)
        return
      }
      setMissing(undefined)
      setParts(module)
      if (isClosed || host.current === null) return
      editor.current = new module.Editor({
        parent: host.current,
        text: draft.content.value.body,
        label: texts.note.body,
        nonce,
        onChange: (body) => draft.type({ body }),
        onFiles: (files, at) => void module.attach({ draft, store, files, at }),
        attach: { label: texts.note.attach, run: () => fileInput.current?.click() },
        noteId: () => draft.note.value?.id,
        targets: {
          client: store.client,
          pathOf: (id) => store.pathOf(id),
          notebook_id: () => draft.notebook_id,
          onNewNote: (title) =>
            void attempt(async () => {
              await (await loaded(loadLinks))?.makeMissingNote(store, title, draft.notebook_id)
            })
        },
        onFollow: (link) => void loaded(loadLinks).then((parts) => parts?.followLink(store, draft, link)),
        onHover: (link, target) => void whenLoaded(loadLinks(), ({ preview }) => preview(link, target, store, draft)),
        onSource: setIsSource,
        owner: draft,
        templates: () => store.templates.value,
        templateText: async ({ id }) => {
          let text: string | undefined
          await attempt(async () => {
            const { body } = await store.client.getTemplate({ id })
            const { unresolved, ...made } = module.filled(body, draft.content.value.title, new Date())
            text = made.text
            if (unresolved.length > 0) notify(texts.unresolved(unresolved.slice(0, maxUnresolved)))
          })
          return text
        }
      })
      editor.current.cover(isCovered.current)
      if (draft.note.value === undefined && draft.content.value.title === "") titleInput.current?.focus()
      else editor.current.focus()
    }
    void load()
    return () => {
      isClosed = true
      editor.current?.close()
      editor.current = undefined
    }
  }, [draft, tries])
  const { anchor } = route.value
  useEffect(() => {
    // The line of a task.
    if (/^\d+$/.test(anchor ?? "")) parts?.showLine(Number(anchor) + 1)
  }, [anchor, parts])
  useEffect(
    () =>
      parts &&
      whenLoaded(loadLinks(), ({ followBroken }) =>
        followBroken(store, draft, (broken) => editor.current?.showBroken(broken))
      ),
    [draft, parts]
  )
  // Merged changes of others. They are shown at once, not with the next frame as `useSignalEffect` would: a letter that is
  // typed before that would be a change of the text without them, and delete them.
  useEffect(
    () =>
      effect(() => {
        const { body, title } = draft.content.value
        if (editor.current !== undefined && editor.current.text !== body) editor.current.replace(body)
        if (titleInput.current !== null && titleInput.current.value !== title) titleInput.current.value = title
      }),
    [draft]
  )
  return (
    <div class="writing">
      <h1 class="visually-hidden">{draft.content.value.title || texts.untitled}</h1>
      <textarea
        ref={titleInput}
        class="title-input"
        dir="auto"
        rows={1}
        maxLength={200}
        aria-label={texts.note.title}
        placeholder={texts.note.title}
        value={draft.content.value.title}
        onInput={({ currentTarget }) => {
          former.current ??= draft.note.value?.title ?? ""
          draft.type({ title: currentTarget.value })
        }}
        onBlur={() => void leaveTitle()}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.isComposing) return
          event.preventDefault()
          editor.current?.focus()
        }}
      />
      {children}
      <Properties
        draft={draft}
        store={store}
        source={{
          isShown: isSource,
          cover: (isForm) => {
            isCovered.current = isForm
            editor.current?.cover(isForm)
          },
          show: () => editor.current?.showSource(),
          undo: (isRedo) => editor.current?.undo(isRedo)
        }}
        onText={(body, isTyping) => {
          if (editor.current === undefined) draft.type({ body })
          else editor.current.change(body, isTyping)
        }}
      />
      {missing !== undefined && (
        <p class="banner" role="alert">
          {missing === "offline" ? texts.editorOffline : texts.newVersionOfServer}{" "}
          {missing === "offline" ? (
            <Button onClick={() => setTries(tries + 1)}>{texts.retry}</Button>
          ) : (
            <a href={location.href} target="_self" onClick={() => location.reload()}>
              {texts.reload}
            </a>
          )}
        </p>
      )}
      <input
        ref={fileInput}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          const { current } = editor
          const files = [...(currentTarget.files ?? [])]
          void parts?.attach({ draft, store, files, at: current?.keep(current.cursor) })
          currentTarget.value = ""
        }}
      />
      <div ref={host} class="editor" />
    </div>
  )
}
