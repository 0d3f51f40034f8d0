import { texts } from "../Messages.ts"
import { open } from "../Navigation.ts"
import { Button } from "../ui/Button.tsx"
import { attempt } from "../ui/Notices.tsx"
import type { Place } from "../workspace/Place.ts"

/** A note in the trash, which can be restored or erased. */
export const TrashedNote = ({ id, place }: { readonly place: Place; readonly id: string }) => (
  <div class="blank">
    <p>{texts.note.inTrash}</p>
    {place.canWrite.value && (
      <p class="actions">
        <Button
          kind="main"
          onClick={() => void attempt(async () => (await place.client.restoreNote({ id }), open({ kind: "all" }, id)))}
        >
          {texts.note.restore}
        </Button>
        <Button
          kind="danger"
          onClick={() =>
            confirm(texts.note.eraseConfirm) &&
            void attempt(async () => (await place.client.deleteNote({ id, permanent: true }), open({ kind: "trash" })))
          }
        >
          {texts.note.erase}
        </Button>
      </p>
    )}
  </div>
)
