import { newNoteOf } from "../../../../services/markdown/LinkText.ts"
import { randomId } from "../../client/RandomId.ts"
import { quoted } from "../notes/NoteFilter.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"

/** The notebook whose path ends with these names. */
const notebookAt = (store: WorkspaceStore, folders: ReadonlyArray<string>): string | undefined =>
  store.notebooks.value.find(({ id }) => {
    let notebook = store.notebook(id)
    for (const folder of folders.toReversed()) {
      if (notebook?.name.toLowerCase() !== folder.toLowerCase()) return false
      notebook = notebook.parent_id == null ? undefined : store.notebook(notebook.parent_id)
    }
    return true
  })?.id

/** Returns the id of the note to which a link without a note leads from now on: another user may have made it. */
export const makeMissingNote = async (store: WorkspaceStore, link: string, notebook_id: string): Promise<string> => {
  const { folders, title } = newNoteOf(link)
  const folder = folders.length === 0 ? undefined : notebookAt(store, folders)
  // Without the notebook of its path, a note is found by the path as its title.
  const name = folders.length === 0 || folder !== undefined ? title : [...folders, title].join("/")
  const filter = `title = ${quoted(name)}`
  const { data } = await store.client.listNoteSummaries({ filter, limit: 1 })
  if (data[0] !== undefined) return data[0].id
  const target = folder ?? store.notebookFor(notebook_id)
  return (await store.client.createNote({ notebook_id: target, title: name }, { idempotencyKey: randomId() })).id
}
