import { del, get } from "idb-keyval"
import { upload } from "../../client/SheafClient.ts"
import type { Place } from "../workspace/Place.ts"
import { texts } from "../Messages.ts"
import { attachmentLink } from "./AttachmentLink.ts"
import { type SharedContent, sharedKey, sharedStore } from "./SharedContent.ts"

/** Makes a note of what another app has shared, and returns its id; undefined if nothing was shared. */
export const takeShared = async (place: Place): Promise<string | undefined> => {
  const store = sharedStore()
  const shared = await get<SharedContent>(sharedKey, store)
  const notebook_id = place.notebooks.value.find(({ name }) => name === "Inbox")?.id ?? place.notebooks.value[0]?.id
  if (shared === undefined || notebook_id === undefined) return undefined
  const { files, text, title, url } = shared
  const name = title || text.split("\n")[0]!.slice(0, 200) || files[0]?.name || texts.untitled
  const note = await place.client.createNote({
    notebook_id,
    title: name.slice(0, 200),
    body: [text, url].filter((part) => part !== "").join("\n\n")
  })
  const links: Array<string> = []
  for (const file of files) {
    const { id } = await upload(place.client, { note_id: note.id, filename: file.name, content: file })
    links.push(attachmentLink(id, file))
  }
  if (links.length > 0) {
    await place.client.updateNote({
      id: note.id,
      version: note.version,
      body: [note.body, ...links].join("\n\n").trim()
    })
  }
  await del(sharedKey, store)
  return note.id
}
