import { useEffect, useState } from "preact/hooks"
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
import { removeShared, type SharedContent, waitingShared } from "./SharedContent.ts"
import { bodyOfShared, takeShared, titleOfShared } from "./SharedIntake.ts"
import { sharedTexts } from "./SharedMessages.ts"

/** Maximum characters of a text that are shown. */
const maxShown = 2_000

/** Offers to make a note of what other apps have shared. The user confirms it. */
export const SharedDialog = ({ store }: { readonly store: WorkspaceStore }) => {
  const [waiting, setWaiting] = useState<ReadonlyArray<SharedContent>>([])
  const { failure, isBusy, run } = useAction()
  const [chosen, setChosen] = useState<string>()
  const read = () => waitingShared().then(setWaiting)
  useEffect(() => {
    void read()
    const onVisible = () => document.visibilityState === "visible" && void read()
    document.addEventListener("visibilitychange", onVisible)
    return () => document.removeEventListener("visibilitychange", onVisible)
  }, [])
  const shared = waiting[0]
  const notebook_id = chosen ?? store.inbox.value?.id
  if (shared === undefined || notebook_id === undefined || !store.canWrite.value) return null
  const take = () =>
    run(async () => {
      try {
        open({ kind: "all" }, await takeShared(store, shared, notebook_id))
      } finally {
        // Also after a failure: files that were uploaded are remembered.
        await read()
      }
    })
  return (
    <Dialog key={shared.key} title={sharedTexts.title} onClose={() => setWaiting(waiting.slice(1))}>
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
            onClick={() => confirm(sharedTexts.discardConfirm) && void removeShared(shared.key).then(read)}
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
