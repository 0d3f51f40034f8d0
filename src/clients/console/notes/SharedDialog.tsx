import { useState } from "preact/hooks"
import { longDate } from "../Dates.ts"
import { failureOf } from "../drafts/SaveFailure.ts"
import { texts } from "../Messages.ts"
import { open } from "../Navigation.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Form } from "../ui/Form.tsx"
import { Failure } from "../ui/Failure.tsx"
import { notify } from "../ui/Notices.tsx"
import { useAction } from "../ui/useAction.ts"
import { NotebookOptions } from "../workspace/NotebookOptions.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { readShared } from "./SharedArrivals.ts"
import { removeShared, type SharedContent, withShared } from "./SharedContent.ts"
import { bodyOfShared, takeShared, titleOfShared } from "./SharedIntake.ts"
import { sharedTexts } from "./SharedMessages.ts"

/** Maximum characters of a text that are shown. */
const maxShown = 2_000

interface SharedDialogProps {
  readonly store: WorkspaceStore
  readonly shared: SharedContent
  readonly onClose: () => void
}

/** Offers to make a note of what another app has shared. The user confirms it, also while the server is away. */
export const SharedDialog = ({ onClose, shared, store }: SharedDialogProps) => {
  const { failure, isBusy, run } = useAction()
  const [chosen, setChosen] = useState<string>()
  const notebook_id = chosen ?? store.inbox.value?.id ?? ""
  const take = () =>
    run(async () => {
      try {
        const id = await takeShared(store, shared.key, notebook_id)
        if (id !== undefined) open({ kind: "all" }, id)
      } catch (error) {
        // The browser cannot store the choice.
        if (error instanceof DOMException) return notify(sharedTexts.outcomes.full)
        if (!["offline", "signedOut"].includes(failureOf(error).kind)) throw error
        notify(sharedTexts.later)
      } finally {
        // Also after a failure: the choice and the files that were uploaded are remembered.
        await readShared(store)
      }
    })
  /** Waits for another tab that makes the note. */
  const discard = async () => {
    await withShared(shared.key, () => removeShared(shared.key))
    await readShared(store)
  }
  return (
    <Dialog title={sharedTexts.title} onClose={onClose}>
      <p>{sharedTexts.lead(longDate(shared.received_at))}</p>
      {shared.isUnchecked === true && <p class="banner">{sharedTexts.unchecked}</p>}
      <h3>{titleOfShared(shared)}</h3>
      <pre class="diff" tabIndex={0}>
        {bodyOfShared(shared).slice(0, maxShown)}
      </pre>
      {shared.files.length > 0 && (
        <ul class="rows" aria-label={sharedTexts.files}>
          {shared.files.map((file, index) => (
            <li key={index}>{file.name}</li>
          ))}
        </ul>
      )}
      <Form onSubmit={() => void take()}>
        <label class="field">
          {texts.notebook}
          <select value={notebook_id} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
            <NotebookOptions store={store} />
          </select>
        </label>
        <Failure failure={failure} />
        <footer class="actions">
          <Button isDisabled={isBusy} onClick={() => confirm(sharedTexts.discardConfirm) && void discard()}>
            {sharedTexts.discard}
          </Button>
          <Button kind="main" type="submit" isDisabled={isBusy}>
            {sharedTexts.save}
          </Button>
        </footer>
      </Form>
    </Dialog>
  )
}
