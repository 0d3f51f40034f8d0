import { newNoteOf } from "../../../../services/markdown/LinkText.ts"
import { randomId } from "../../client/RandomId.ts"
import type { Place } from "../workspace/Place.ts"

/** The notebook whose path ends with these names. */
const notebookAt = (place: Place, folders: ReadonlyArray<string>): string | undefined =>
  place.notebooks.value.find(({ id }) => {
    let notebook = place.notebook(id)
    for (const folder of folders.toReversed()) {
      if (notebook?.name.toLowerCase() !== folder.toLowerCase()) return false
      notebook = notebook.parent_id == null ? undefined : place.notebook(notebook.parent_id)
    }
    return true
  })?.id

/** Returns the id of the note to which a link without a note leads from now on: another user may have made it. */
export const makeMissingNote = async (place: Place, link: string, notebook_id: string): Promise<string> => {
  const { folders, title } = newNoteOf(link)
  const folder = folders.length === 0 ? undefined : notebookAt(place, folders)
  // Without the notebook of its path, a note is found by the path as its title.
  const name = folders.length === 0 || folder !== undefined ? title : [...folders, title].join("/")
  const filter = `title = "${name.replaceAll(/["\\*]/g, "\\$&")}"`
  const { data } = await place.client.listNoteSummaries({ filter, limit: 1 })
  if (data[0] !== undefined) return data[0].id
  const target = folder ?? place.notebookFor(notebook_id)
  return (await place.client.createNote({ notebook_id: target, title: name }, { idempotencyKey: randomId() })).id
}
