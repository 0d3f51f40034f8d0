import { folded, newNoteOf } from "../../../../services/markdown/LinkText.ts"
import { randomId } from "../../client/RandomId.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"

const endsWith = (path: ReadonlyArray<string>, end: ReadonlyArray<string>): boolean =>
  path.length >= end.length && end.every((name, index) => folded(name) === folded(path.at(index - end.length)!))

/**
 * The notebook to which the folders of a link lead: from the notebook of its note, else from the top, else any whose path
 * ends with them. Undefined if none does.
 */
const notebookAt = (store: WorkspaceStore, notebook_id: string, folders: ReadonlyArray<string>): string | undefined => {
  const own = store.pathOf(notebook_id)
  const up = folders.lastIndexOf("..") + 1
  const path = up === 0 ? folders : [...own.slice(0, Math.max(0, own.length - up)), ...folders.slice(up)]
  const all = store.notebooks.value.map(({ id }) => ({ id, path: store.pathOf(id) }))
  const within = all.filter((each) => endsWith(each.path, path))
  const exact = [[...own, ...path], path].map((place) =>
    within.find((each) => each.path.length === place.length && endsWith(each.path, place))
  )
  return [...exact, within[0]].find((each) => each !== undefined)?.id
}

/** Creates the note that a link of a note in a notebook has no note for, and returns its id. */
export const makeMissingNote = async (store: WorkspaceStore, target: string, notebook_id: string): Promise<string> => {
  const { folders, title } = newNoteOf(target)
  const folder = folders.length === 0 ? notebook_id : notebookAt(store, notebook_id, folders)
  const note = {
    notebook_id: store.notebookFor(folder ?? notebook_id),
    // Without the notebook of its path, a note is found by the path as its title.
    title: folder === undefined ? [...folders, title].join("/") : title
  }
  return (await store.client.createNote(note, { idempotencyKey: randomId() })).id
}
