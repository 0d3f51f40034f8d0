import { useEffect, useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { addressOf, open } from "../Navigation.ts"
import { Button } from "../ui/Button.tsx"
import { attempt } from "../ui/Notices.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { ActivityDialog } from "./ActivityDialog.tsx"
import { texts as ofNotes } from "./NoteMessages.ts"

interface TrashedNoteProps {
  readonly store: WorkspaceStore
  readonly id: string
  /** Reads the note again. */
  readonly onRestored: () => void
  /** Leaves the note. */
  readonly onClose: () => void
}

/** A note that does not open: one in the trash, which can be read, restored and erased, or one that is not there. */
export const TrashedNote = ({ id, onRestored, store }: TrashedNoteProps) => {
  const [note, setNote] = useState<Schemas["Note"] | null>()
  const [showsActivity, setShowsActivity] = useState(false)
  useEffect(() => {
    void attempt(async () => {
      const { data } = await store.client.listNotes({ filter: `deleted_at:* id = ${id}`, limit: 1 })
      setNote(data[0] ?? null)
    })
  }, [id])
  if (note === undefined) return null
  if (note === null) {
    return (
      <div class="blank" role="alert">
        <p>{ofNotes.missing(id)}</p>
        <p class="actions">
          <a class="button" href={addressOf({ kind: "search", query: "" })}>
            {texts.search}
          </a>
          <a class="button" href={addressOf({ kind: "trash" })}>
            {ofNotes.openTrash}
          </a>
        </p>
      </div>
    )
  }
  return (
    <div class="page">
      <p>{ofNotes.trashed.inTrash}</p>
      <p class="actions start">
        {store.canWrite.value && (
          <>
            <Button
              kind="main"
              onClick={() =>
                void attempt(
                  async () => (await store.client.restoreNote({ id }), open({ kind: "all" }, id), onRestored())
                )
              }
            >
              {ofNotes.trashed.restore}
            </Button>
            <Button
              kind="danger"
              onClick={() =>
                confirm(ofNotes.trashed.eraseConfirm) &&
                void attempt(
                  async () => (await store.client.deleteNote({ id, permanent: true }), open({ kind: "trash" }))
                )
              }
            >
              {ofNotes.trashed.erase}
            </Button>
          </>
        )}
        <Button onClick={() => setShowsActivity(true)}>{texts.note.activity}</Button>
      </p>
      {showsActivity && <ActivityDialog store={store} note_id={id} onClose={() => setShowsActivity(false)} />}
      <article class="reading">
        <h1>{note.title}</h1>
        <pre class="source" tabIndex={0}>
          {note.body}
        </pre>
      </article>
    </div>
  )
}
