import type { Schemas } from "../../client/SheafClient.ts"
import { open, route } from "../Navigation.ts"
import { texts } from "../several/SeveralMessages.ts"
import { attempt, notify } from "../ui/Notices.tsx"
import { newChangeSet, undoing } from "../undoing/Undo.ts"
import { isInside } from "./NestedNotebooks.ts"
import type { WorkspaceStore } from "./WorkspaceStore.ts"

/** Moves a notebook and its notes to the trash, and offers to undo that. Its open list, or one inside, is left. */
export const deleteNotebook = (store: WorkspaceStore, { id, name }: Schemas["Notebook"]): Promise<boolean> =>
  attempt(async () => {
    const notebooks = store.notebooks.value
    const changeSet = newChangeSet()
    await store.client.deleteNotebook({ id }, { changeSet })
    await store.read()
    const { filter } = route.value
    if (filter.kind === "notebook" && isInside(notebooks, filter.id, id)) open({ kind: "all" })
    notify(texts.notebookDeleted(name), undoing(store, changeSet))
  })
