import type { Client } from "../client/Client.ts"
import { isProblem } from "../client/ClientProblem.ts"
import type { Schemas } from "../client/Types.ts"
import { agrees, type Stated } from "./FileText.ts"

/** Versions of a note that are compared with a file. */
const maxVersions = 100

/** A superseded version of a note that a file has: a file whose state was lost has that base. */
export const earlierVersion = async (client: Client, id: string, file: Stated): Promise<Stated | undefined> => {
  try {
    const { data } = await client.call<Schemas["NoteVersionList"]>("listNoteVersions", { id, limit: maxVersions })
    for (const { version } of data) {
      const { body, tags } = await client.call<Schemas["NoteVersion"]>("getNoteVersion", { id, version })
      if (agrees({ ...file, tags }, { ...file, body: body ?? "", tags })) return { ...file }
    }
  } catch (error) {
    // The note was made here, or the server is not reached: both texts are kept.
    if (!isProblem(error, "not_found") && !isProblem(error, "no_response")) throw error
  }
  return undefined
}
