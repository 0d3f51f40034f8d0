import { useState } from "preact/hooks"
import { longDate } from "../Dates.ts"
import { texts } from "../Messages.ts"
import { open } from "../Navigation.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Form } from "../ui/Form.tsx"
import { Failure } from "../ui/Failure.tsx"
import { useAction } from "../ui/useAction.ts"
import { NotebookOptions } from "../workspace/NotebookOptions.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { removeShared, type SharedContent } from "./SharedContent.ts"
import { bodyOfShared, takeShared, titleOfShared } from "./SharedIntake.ts"
import { sharedTexts } from "./SharedMessages.ts"

/** Maximum characters of a text that are shown. */
const maxShown = 2_000

interface SharedDialogProps {
  readonly store: WorkspaceStore
  readonly shared: SharedContent
  /** Looks again at what waits, after a note was made of the content, or it was discarded. */
  readonly onChange: () => Promise<void>
  readonly onClose: () => void
}

/** Offers to make a note of what another app has shared. The user confirms it. */
export const SharedDialog = ({ onChange, onClose, shared, store }: SharedDialogProps) => {
  const { failure, isBusy, run } = useAction()
  const [chosen, setChosen] = useState<string>()
  const notebook_id = chosen ?? store.inbox.value?.id ?? ""
  const take = () =>
    run(async () => {
      try {
        open({ kind: "all" }, await takeShared(store, shared, notebook_id))
      } finally {
        // Also after a failure: files that were uploaded are remembered.
        await onChange()
      }
    })
  return (
    <Dialog title={sharedTexts.title} onClose={onClose}>
      <p>{sharedTexts.lead(longDate(shared.received_at))}</p>
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
          <Button
            isDisabled={isBusy}
            onClick={() => confirm(sharedTexts.discardConfirm) && void removeShared(shared.key).then(onChange)}
          >
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
