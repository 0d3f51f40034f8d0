import { randomId } from "../../client/RandomId.ts"
import { texts } from "../Messages.ts"
import { loaded } from "../ui/Notices.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"

/** The id of another change set. */
export const newChangeSet = (): string => `cs_${randomId().slice(0, 40)}`

/** The dialog, and the undo without it: undefined, with a notice, if it cannot be loaded. */
export const loadUndoing = () => loaded(() => import("./Undoing.tsx"))

/** The action of a notice that undoes a change set. */
export const undoing = (store: WorkspaceStore, set: string) => ({
  label: texts.undo,
  run: () => void loadUndoing().then((all) => all?.undoNow(store, set))
})
