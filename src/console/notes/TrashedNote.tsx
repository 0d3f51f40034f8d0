import { useEffect, useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { open } from "../Navigation.ts"
import { Button } from "../ui/Button.tsx"
import { lazily } from "../ui/lazily.tsx"
import { attempt } from "../ui/Notices.tsx"
import type { Place } from "../workspace/Place.ts"

const ActivityDialog = lazily(async () => (await import("./NoteDialogs.ts")).ActivityDialog)

/** A note in the trash, which can be read, restored and erased. */
export const TrashedNote = ({ id, place }: { readonly place: Place; readonly id: string }) => {
  const [note, setNote] = useState<Schemas["Note"]>()
  const [showsActivity, setShowsActivity] = useState(false)
  useEffect(() => {
    void attempt(async () => {
      const { data } = await place.client.listNotes({ filter: `deleted_at:* id = ${id}`, limit: 1 })
      setNote(data[0])
    })
  }, [id])
  return (
    <div class="page">
      <p>{texts.note.inTrash}</p>
      <p class="actions start">
        {place.canWrite.value && (
          <>
            <Button
              kind="main"
              onClick={() =>
                void attempt(async () => (await place.client.restoreNote({ id }), open({ kind: "all" }, id)))
              }
            >
              {texts.note.restore}
            </Button>
            <Button
              kind="danger"
              onClick={() =>
                confirm(texts.note.eraseConfirm) &&
                void attempt(
                  async () => (await place.client.deleteNote({ id, permanent: true }), open({ kind: "trash" }))
                )
              }
            >
              {texts.note.erase}
            </Button>
          </>
        )}
        <Button onClick={() => setShowsActivity(true)}>{texts.note.activity}</Button>
      </p>
      {showsActivity && <ActivityDialog place={place} note_id={id} onClose={() => setShowsActivity(false)} />}
      {note !== undefined && (
        <article class="reading">
          <h1>{note.title}</h1>
          <pre class="source" tabIndex={0}>
            {note.body}
          </pre>
        </article>
      )}
    </div>
  )
}
