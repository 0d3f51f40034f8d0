import type { Client } from "../client/Client.ts"
import { isProblem } from "../client/ClientProblem.ts"
import type { Schemas } from "../client/Types.ts"
import { type NoteContent, type Stated, statedBy, textOf } from "./FileText.ts"

/**
 * What a file says, if its text is that of a superseded version of its note: it is the true base of a file whose state was lost.
 */
export const earlierVersion = async (client: Client, note: NoteContent, file: Stated): Promise<Stated | undefined> => {
  try {
    const { data } = await client.call<Schemas["NoteVersionPage"]>("listNoteVersions", { id: note.id, limit: 100 })
    const found = data.find(
      ({ body, tags }) => body === file.body || statedBy(textOf({ ...note, body, tags }, body)).body === file.body
    )
    return found && { ...file, body: found.body }
  } catch (error) {
    // The note was made here, or the server is not reached: both texts are kept.
    if (isProblem(error, "not_found") || isProblem(error, "no_response")) return undefined
    throw error
  }
}
