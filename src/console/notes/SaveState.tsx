import { texts } from "../Messages.ts"
import { Button } from "../ui/Button.tsx"
import { messageOf } from "../ui/Notices.tsx"
import { SheafError } from "../../client/SheafClient.ts"
import type { NoteDraft } from "./NoteDraft.ts"

const stateOf = (draft: NoteDraft): keyof typeof texts.saving => {
  if (draft.clash.value !== undefined) return "clash"
  if (draft.refusal.value !== undefined) return "refused"
  if (draft.isSaved.value) return "saved"
  if (draft.isUnstored.value) return "unstored"
  if (draft.isOffline.value) return "offline"
  return draft.isSaving.value ? "saving" : "typing"
}

/** Whether the text is saved, in two words. */
export const SaveState = ({ draft }: { readonly draft: NoteDraft }) => {
  const state = stateOf(draft)
  return (
    <span class={`save-state ${state}`} role="status">
      {texts.saving[state]}
    </span>
  )
}

interface RefusalBannerProps {
  readonly draft: NoteDraft
  readonly onSaveAsNew: () => void
}

/** Why the server refuses the text, and what the person can do. The text stays on the screen and on this device. */
export const RefusalBanner = ({ draft, onSaveAsNew }: RefusalBannerProps) => {
  const refusal = draft.refusal.value
  if (refusal === undefined) return null
  return (
    <div class="banner" role="alert">
      <p>{refusal.kind === "gone" ? texts.gone : messageOf(new SheafError(refusal.problem))}</p>
      <Button onClick={onSaveAsNew}>{texts.saveAsNew}</Button>
      {refusal.kind === "refused" && <Button onClick={() => void draft.save()}>{texts.retry}</Button>}
      <Button kind="danger" onClick={() => confirm(texts.discardConfirm) && void draft.discard()}>
        {texts.discard}
      </Button>
    </div>
  )
}
