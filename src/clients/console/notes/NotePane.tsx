import { useEffect, useRef, useState } from "preact/hooks"
import { isProblem, type Schemas, SheafError } from "../../client/SheafClient.ts"
import { isWithControl } from "../Keys.ts"
import { texts } from "../Messages.ts"
import { addressOf, open, route } from "../Navigation.ts"
import { IconButton } from "../ui/Button.tsx"
import { lazily, onDemand, whenLoaded } from "../ui/lazily.tsx"
import { attempt, loaded, messageOf, notify } from "../ui/Notices.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import type { Sides } from "../drafts/NoteContent.ts"
import { editNote, type NoteChange } from "../drafts/editNote.ts"
import { NoteDetails } from "./NoteDetails.tsx"
import type { NoteDraft } from "../drafts/NoteDraft.ts"
import { NoteReading } from "../reading/NoteReading.tsx"
import { addressedBy, draftOf, type NoteSource } from "../drafts/NoteSource.ts"
import { loadLinks, NoteWriting } from "./NoteWriting.tsx"
import { RefusalBanner, SaveState } from "./SaveState.tsx"

type Note = Schemas["Note"]

interface NotePaneProps {
  readonly store: WorkspaceStore
  readonly source: NoteSource
  readonly isWriting: boolean
  /** The state of the history entry of a note that is created in this pane. */
  readonly token: string
}

const LinksSection = lazily(async () => (await import("../finding/Finding.ts")).LinksSection)
const NoteMenu = lazily(async () => (await import("../finding/Finding.ts")).NoteMenu)
const ActivityDialog = onDemand((all) => all.ActivityDialog)
const ConflictDialog = onDemand((all) => all.ConflictDialog)
const CommentsDialog = onDemand((all) => all.CommentsDialog)
const HistoryDialog = onDemand((all) => all.HistoryDialog)
const MergeDialog = onDemand((all) => all.MergeDialog)
const RemindersDialog = onDemand((all) => all.RemindersDialog)
const SharesDialog = onDemand((all) => all.SharesDialog)
const TrashedNote = onDemand((all) => all.TrashedNote)

type DialogName = "activity" | "history" | "share" | "reminders" | "comments"

/** One note: its text, to read and to write, and what can be done with it. */
export const NotePane = ({ store, source, token, ...start }: NotePaneProps) => {
  const [draft, setDraft] = useState<NoteDraft>()
  const [failure, setFailure] = useState<SheafError>()
  const [openings, setOpenings] = useState(0)
  /** Whether the note was deleted or moved to the trash while it is open. */
  const [isRemoved, setIsRemoved] = useState(false)
  const [isWriting, setIsWriting] = useState(start.isWriting)
  const [dialog, setDialog] = useState<DialogName>()
  const [compared, setCompared] = useState<Sides>()
  /** The version that the history shows first, if it is not the current one. */
  const [version, setVersion] = useState<number>()
  useEffect(() => {
    let opened: NoteDraft | undefined
    let isClosed = false
    draftOf(store, source, () => setIsRemoved(true)).then(
      (made) => {
        opened = made
        if (isClosed) return void made?.close()
        setDraft(made)
        if (made !== undefined) return
        notify(texts.waiting.sent)
        open(route.value.filter, undefined, { replace: true })
      },
      (error: unknown) => {
        if (error instanceof SheafError) setFailure(error)
        else throw error
      }
    )
    const unsubscribe = store.subscribe((changes) => {
      for (const { data, id, op, type } of changes) {
        if (type !== "note" || opened === undefined || id !== opened.note.value?.id) continue
        setIsRemoved(op === "delete")
        if (op === "upsert") opened.receive(data as Note)
      }
    })
    const leave = () => void opened?.save()
    const warn = (event: BeforeUnloadEvent) => {
      if (opened?.isUnstored.value === true && !opened.isSaved.value) event.preventDefault()
    }
    addEventListener("pagehide", leave)
    addEventListener("beforeunload", warn)
    return () => {
      isClosed = true
      unsubscribe()
      removeEventListener("pagehide", leave)
      removeEventListener("beforeunload", warn)
      void opened?.close()
    }
  }, [openings])
  const id = draft?.note.value?.id
  const addressed = useRef(addressedBy(source))
  useEffect(() => {
    setIsRemoved(false)
    if (id === undefined) return
    // The address of a new note, once it has an id, also of one that was made of a deleted note.
    if (id !== addressed.current && route.value.note === addressed.current)
      open(route.value.filter, id, { replace: true, state: token })
    addressed.current = id
  }, [id])
  useEffect(() => {
    if (draft === undefined) return
    store.texts.add(draft)
    return () => void store.texts.delete(draft)
  }, [draft])
  useEffect(
    () => draft && whenLoaded(import("../AfterStart.ts"), ({ printWhole }) => printWhole(() => draft.content.value)),
    [draft]
  )
  const openAgain = () => {
    setFailure(undefined)
    setOpenings((count) => count + 1)
  }
  const connections = store.connections.value
  useEffect(() => {
    if (failure === undefined) void draft?.save()
    else openAgain()
  }, [connections])
  const merged = draft?.merged.value
  useEffect(() => {
    if (merged === undefined) return
    notify(texts.saving.merged, { label: texts.saving.compare, run: () => setCompared(merged) }, "merged")
  }, [merged])
  useEffect(() => {
    /** Reads or writes, or saves. */
    const onKey = (event: KeyboardEvent) => {
      const isSaving = isWithControl(event, "s")
      // A key of the editor.
      if (event.defaultPrevented) return
      if (!isSaving && !(isWithControl(event, "e") && store.canWrite.value)) return
      event.preventDefault()
      if (isSaving) void draft?.save()
      else setIsWriting((writing) => !writing)
    }
    addEventListener("keydown", onKey)
    return () => removeEventListener("keydown", onKey)
  }, [draft])

  const back = (
    <a class="icon-button back" href={addressOf(route.value.filter)} aria-label={texts.note.back}>
      ←
    </a>
  )
  if (failure !== undefined) {
    return (
      <section class="pane note" aria-label={texts.noteName} tabIndex={-1}>
        <header class="bar">
          {back}
          <h1 class="visually-hidden">{texts.noteName}</h1>
        </header>
        {source.kind === "existing" && isProblem(failure, "not_found") ? (
          <TrashedNote store={store} id={source.id} onRestored={openAgain} onClose={() => open(route.value.filter)} />
        ) : (
          <p class="blank" role="alert">
            {messageOf(failure)}
          </p>
        )}
      </section>
    )
  }
  if (draft === undefined) return <section class="pane note" aria-busy="true" tabIndex={-1} />

  const note = draft.note.value
  /** Changes properties of the note as it is then, again if another user has changed it meanwhile. */
  const change = (edit: (note: Note) => NoteChange) =>
    attempt(async () => {
      await draft.save()
      const { value } = draft.note
      const edited = value && (await editNote(store.client, value, edit))
      if (edited === undefined) return
      const { after, before } = edited
      draft.receive(after)
      if (after.notebook_id !== before.notebook_id) await (await loaded(loadLinks))?.askAboutLinks(store, after.id)
    })
  const conflict = draft.conflict.value
  const details = note !== undefined && <NoteDetails note={note} store={store} onChange={change} />
  return (
    <section class="pane note" aria-label={texts.noteName} tabIndex={-1}>
      <header class="bar">
        {back}
        <SaveState draft={draft} />
        <div class="tools">
          {store.canWrite.value && (
            <div class="switch" role="group" aria-label={`${texts.note.read}/${texts.note.write}`}>
              <button
                type="button"
                aria-pressed={!isWriting}
                disabled={note === undefined}
                onClick={() => setIsWriting(false)}
              >
                {texts.note.read}
              </button>
              <button type="button" aria-pressed={isWriting} onClick={() => setIsWriting(true)}>
                {texts.note.write}
              </button>
            </div>
          )}
          {note !== undefined && (
            <>
              <IconButton
                icon="pin"
                label={note.pinned ? texts.note.unpin : texts.note.pin}
                isPressed={note.pinned}
                isDisabled={!store.canWrite.value}
                onClick={() => void change(({ pinned }) => ({ pinned: !pinned }))}
              />
              {store.workspace.value?.plan === "team" && (
                <IconButton icon="comment" label={texts.note.comments} onClick={() => setDialog("comments")} />
              )}
              <IconButton icon="bell" label={texts.note.reminders} onClick={() => setDialog("reminders")} />
              <IconButton icon="share" label={texts.note.share} onClick={() => setDialog("share")} />
              <IconButton icon="clock" label={texts.note.history} onClick={() => setDialog("history")} />
              <NoteMenu
                draft={draft}
                note={note}
                store={store}
                onChange={change}
                onActivity={() => setDialog("activity")}
              />
            </>
          )}
        </div>
      </header>
      <RefusalBanner draft={draft} onSaveAsNew={() => void draft.saveAsNew(store.notebookFor(draft.notebook_id))} />
      {isRemoved && note !== undefined && draft.trouble.value === undefined && (
        <p class="banner" role="alert">
          {texts.note.removed}
        </p>
      )}
      <div class="page">
        {/* A member who may not write any more still has the text, to copy it. */}
        {isWriting && (store.canWrite.value || !draft.isKept()) ? (
          <NoteWriting draft={draft} store={store}>
            {details}
          </NoteWriting>
        ) : (
          <NoteReading draft={draft} store={store}>
            {details}
          </NoteReading>
        )}
        <LinksSection draft={draft} store={store} />
      </div>
      {conflict !== undefined && <ConflictDialog conflict={conflict} draft={draft} onClose={() => undefined} />}
      {compared !== undefined && <MergeDialog sides={compared} onClose={() => setCompared(undefined)} />}
      {note !== undefined && dialog === "activity" && (
        <ActivityDialog
          store={store}
          note_id={note.id}
          onClose={() => setDialog(undefined)}
          onVersion={(wanted) => {
            setVersion(wanted)
            setDialog("history")
          }}
        />
      )}
      {note !== undefined && dialog === "history" && (
        <HistoryDialog
          store={store}
          draft={draft}
          note={note}
          version={version}
          onClose={() => {
            setVersion(undefined)
            setDialog(undefined)
          }}
        />
      )}
      {note !== undefined && dialog === "share" && (
        <SharesDialog store={store} note_id={note.id} onClose={() => setDialog(undefined)} />
      )}
      {note !== undefined && dialog === "reminders" && (
        <RemindersDialog store={store} note_id={note.id} onClose={() => setDialog(undefined)} />
      )}
      {note !== undefined && dialog === "comments" && (
        <CommentsDialog store={store} note_id={note.id} onClose={() => setDialog(undefined)} />
      )}
    </section>
  )
}
