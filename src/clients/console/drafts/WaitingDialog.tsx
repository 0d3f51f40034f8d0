import { longDate } from "../Dates.ts"
import type { StoredDraft } from "./StoredDraft.ts"
import { texts } from "../Messages.ts"
import { texts as noteTexts } from "../notes/NoteMessages.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"

interface WaitingDialogProps {
  readonly store: WorkspaceStore
  readonly onDraft: (draft: StoredDraft) => void
  readonly onClose: () => void
}

const titleOf = ({ content }: StoredDraft): string => content.title || texts.untitled

/** The texts that wait on this device. */
export const WaitingDialog = ({ onClose, onDraft, store }: WaitingDialogProps) => {
  const { waiting } = store
  return (
    <Dialog title={noteTexts.waiting.title} onClose={onClose}>
      <p>{noteTexts.waiting.lead}</p>
      <ul class="rows">
        {waiting.waiting.value.map((draft) => (
          <li key={draft.key}>
            <div>
              {titleOf(draft)}
              <p class="hint">{longDate(draft.changed_at)}</p>
            </div>
            <span class="actions">
              <Button
                label={`${noteTexts.waiting.open}: ${titleOf(draft)}`}
                onClick={() => (onClose(), onDraft(draft))}
              >
                {noteTexts.waiting.open}
              </Button>
              <Button
                label={`${noteTexts.waiting.discard}: ${titleOf(draft)}`}
                onClick={() => confirm(texts.discardConfirm) && void waiting.discard(draft)}
              >
                {noteTexts.waiting.discard}
              </Button>
            </span>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
