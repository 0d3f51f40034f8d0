import { useEffect, useMemo, useState } from "preact/hooks"
import { texts } from "../Messages.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Failure } from "../ui/Failure.tsx"
import { Form } from "../ui/Form.tsx"
import { attempt } from "../ui/Notices.tsx"
import { useAction } from "../ui/useAction.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { OutcomeList } from "./OutcomeList.tsx"
import { type Changes, type Revert, RevertRun, type Undoable, undoableOf } from "./RevertRun.ts"
import { undoTexts } from "./UndoMessages.ts"

interface UndoDialogProps {
  readonly store: WorkspaceStore
  readonly changes: Changes
  /** Their undo, if it has ended already. */
  readonly ended: Revert | undefined
  readonly onClose: () => void
  /** Called with an undo that continues when the dialog is closed. */
  readonly onLeft: (run: RevertRun) => void
}

const outcomes = ["kept", "merged", "reverted"] as const

/** Shows what an undo of changes would do, does it, and shows what has come of it. */
export const UndoDialog = ({ changes, ended, onClose, onLeft, store }: UndoDialogProps) => {
  const { client } = store
  /** Undefined if the changes are not kept any more. */
  const [undoable, setUndoable] = useState<Undoable | undefined>({ id: "", isUndo: false })
  /** The undo, from its beginning to its end. After a failure of a request it continues. */
  const [undoing, setUndoing] = useState<RevertRun>()
  /** The preview, or the undo. */
  const [revert, setRevert] = useState(ended)
  const closed = useMemo(() => new AbortController(), [])
  const { failure, isBusy, run } = useAction()
  const look = () =>
    run(async () => {
      setRevert(undefined)
      await store.saveTexts()
      const found = await undoableOf(client, changes)
      setUndoable(found)
      if (found !== undefined) setRevert(await new RevertRun(client, found.id, true).finish(closed.signal, setRevert))
    })
  const undo = (id: string) =>
    run(async () => {
      const current = undoing ?? new RevertRun(client, id, false)
      setUndoing(current)
      setRevert(undefined)
      try {
        await store.saveTexts()
        const made = await current.finish(closed.signal, setRevert)
        if (closed.signal.aborted) return
        setRevert(made)
        setUndoing(undefined)
        void attempt(() => store.read())
      } finally {
        if (closed.signal.aborted) onLeft(current)
      }
    })
  useEffect(() => {
    if (ended === undefined) void look()
    return () => closed.abort()
  }, [])
  const { kept, merged, records, reverted } = revert ?? { kept: 0, merged: 0, records: 0, reverted: 0 }
  const isDone = revert?.status === "done" && !isBusy
  const hasFailed = revert?.status === "failed" && !isBusy
  const isPreview = revert?.preview === true
  const isUndo = undoable?.isUndo === true
  const working = undoing === undefined ? undoTexts.looking : undoTexts.running
  const said = (): string => {
    if (isBusy) return working
    if (undoable === undefined) return undoTexts.gone
    if (!isDone) return ""
    if (!isPreview) return kept > 0 ? undoTexts.partly(kept) : isUndo ? undoTexts.doneAgain : undoTexts.done
    if (reverted + merged === 0) return undoTexts.nothing
    return isUndo ? undoTexts.leadAgain : undoTexts.lead
  }
  /** What the user can do next. */
  const nextOf = (): { readonly label: string; readonly run: () => Promise<void> } | undefined => {
    if (failure !== undefined || hasFailed)
      return { label: texts.retry, run: () => (undoing === undefined ? look() : undo(undoable!.id)) }
    if (!isDone || reverted + merged === 0) return undefined
    const label = isUndo === isPreview ? undoTexts.again : texts.undo
    return { label, run: () => (isPreview ? undo(revert.change_set_id) : look()) }
  }
  const next = nextOf()
  return (
    <Dialog title={isUndo ? undoTexts.again : undoTexts.title} onClose={onClose}>
      <p role="status">{said()}</p>
      {isBusy && (
        <progress aria-label={working} value={records === 0 ? undefined : (reverted + merged + kept) / records} />
      )}
      {isBusy && undoing !== undefined && <p class="hint">{undoTexts.mayClose}</p>}
      <Failure failure={failure} />
      {hasFailed && (
        <p class="banner" role="alert">
          {undoTexts.failed}
        </p>
      )}
      {isDone &&
        outcomes.map(
          (outcome) =>
            revert[outcome] > 0 && (
              <OutcomeList key={`${revert.id} ${outcome}`} client={client} outcome={outcome} revert={revert} />
            )
        )}
      <Form onSubmit={() => next?.run()}>
        <footer class="actions">
          <Button onClick={onClose}>{texts.close}</Button>
          {next !== undefined && (
            <Button kind={isDone && !isPreview ? "plain" : "main"} type="submit" isDisabled={isBusy}>
              {next.label}
            </Button>
          )}
        </footer>
      </Form>
    </Dialog>
  )
}
