import { longDate } from "../Dates.ts"
import type { StoredDraft } from "../drafts/DraftStore.ts"
import { texts } from "../Messages.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import type { Place } from "../workspace/Place.ts"

interface WaitingDialogProps {
  readonly place: Place
  readonly onDraft: (draft: StoredDraft) => void
  readonly onClose: () => void
}

/** The texts that wait on this device. */
export const WaitingDialog = ({ onClose, onDraft, place }: WaitingDialogProps) => {
  const { waiting } = place
  return (
    <Dialog title={texts.waiting.title} onClose={onClose}>
      <p>{texts.waiting.lead}</p>
      <ul class="rows">
        {waiting.waiting.value.map((draft) => (
          <li key={draft.key}>
            <span>
              {draft.content.title || texts.untitled} <span class="hint">{longDate(draft.changed_at)}</span>
            </span>
            <span class="actions">
              <Button kind="main" onClick={() => (onClose(), onDraft(draft))}>
                {texts.waiting.open}
              </Button>
              <Button onClick={() => confirm(texts.discardConfirm) && void waiting.discard(draft.key)}>
                {texts.waiting.discard}
              </Button>
            </span>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
