/** The undo of changes that belong together: a dialog, and an undo without one. It is one file. */
import "../SharedParts.ts"
import { randomId } from "../../client/RandomId.ts"
import { texts } from "../Messages.ts"
import "../style/OnDemandStyle.ts"
import { attempt, endNotice, messageOf, notify, shownDialog } from "../ui/Notices.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { type Changes, type Revert, RevertRun } from "./RevertRun.ts"
import { UndoDialog } from "./UndoDialog.tsx"
import { undoTexts } from "./UndoMessages.ts"

/** All notices are about one topic: a later one takes the place of the one before. */
const topic = "undo"

/** Opens the dialog over the page, and returns when it is closed. */
export const showUndo = (store: WorkspaceStore, changes: Changes, ended?: Revert): Promise<void> =>
  new Promise((resolve) => {
    shownDialog.value = (
      <UndoDialog
        key={randomId()}
        store={store}
        changes={changes}
        ended={ended}
        onClose={() => {
          shownDialog.value = undefined
          resolve()
        }}
        onLeft={(run) => void finish(store, run)}
      />
    )
  })

/** Says what has come of an undo. */
const report = (store: WorkspaceStore, revert: Revert): void => {
  const { change_set_id, kept, status } = revert
  if (status === "failed") {
    const retry = () => void showUndo(store, { set: change_set_id })
    notify(undoTexts.failed, { label: texts.retry, run: retry }, topic, true)
  } else if (kept > 0) {
    const show = () => void showUndo(store, { set: change_set_id }, revert)
    notify(undoTexts.partly(kept), { label: undoTexts.details, run: show }, topic)
  } else notify(undoTexts.done, undefined, topic)
}

const finish = async (store: WorkspaceStore, run: RevertRun): Promise<void> => {
  notify(undoTexts.running, undefined, topic, true)
  try {
    const revert = await run.finish(store.ended)
    if (store.ended.aborted) return endNotice(topic)
    report(store, revert)
    await attempt(() => store.read())
  } catch (error) {
    notify(messageOf(error), { label: texts.retry, run: () => void finish(store, run) }, topic, true)
  }
}

/** Undoes a change set without a dialog. */
export const undoNow = async (store: WorkspaceStore, set: string): Promise<void> => {
  // What was typed is stored before others' changes are merged with it.
  await store.saveTexts()
  await finish(store, new RevertRun(store.client, set, false))
}
