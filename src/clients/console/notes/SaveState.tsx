import { useRef } from "preact/hooks"
import { texts } from "../Messages.ts"
import { Button } from "../ui/Button.tsx"
import { messageOf } from "../ui/Notices.tsx"
import { SheafError } from "../../client/SheafClient.ts"
import type { NoteDraft } from "../drafts/NoteDraft.ts"
import { isRefusal } from "../drafts/SaveFailure.ts"

const stateOf = (draft: NoteDraft): keyof typeof texts.saving => {
  if (draft.conflict.value !== undefined) return "conflict"
  const trouble = draft.trouble.value
  if (isRefusal(trouble)) return "refused"
  if (draft.isSaved.value) return "saved"
  if (draft.isUnstored.value) return "unstored"
  if (trouble !== undefined) return "offline"
  return draft.isSaving.value ? "saving" : "typing"
}

/** States that a user has to know of while writing. */
const matters: ReadonlyArray<keyof typeof texts.saving> = ["offline", "refused", "conflict", "unstored"]

/** Whether the text is saved, in two words. They are read aloud when that fails, and when it succeeds again. */
export const SaveState = ({ draft }: { readonly draft: NoteDraft }) => {
  const state = stateOf(draft)
  const announced = useRef<string | undefined>(undefined)
  if (matters.includes(state)) announced.current = texts.saving[state]
  else if (state === "saved" && announced.current !== undefined) announced.current = texts.saving.saved
  return (
    <>
      <span class={`save-state ${state}`}>{texts.saving[state]}</span>
      <span class="visually-hidden" role="status">
        {announced.current}
      </span>
    </>
  )
}

interface RefusalBannerProps {
  readonly draft: NoteDraft
  readonly onSaveAsNew: () => void
}

/** Why the server refuses the text, and what the user can do. The text stays on the screen and on this device. */
export const RefusalBanner = ({ draft, onSaveAsNew }: RefusalBannerProps) => {
  const refusal = draft.trouble.value
  if (!isRefusal(refusal)) return null
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
