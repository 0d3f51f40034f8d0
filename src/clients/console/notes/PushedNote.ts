import { type Problem, SheafError, type SheafClient } from "../../client/SheafClient.ts"

interface NewNote {
  readonly notebook_id: string
  readonly title: string
  readonly body: string
}

/**
 * Pushes a note under an id that follows from what it is made of, so that no repetition, of any tab or device, makes a second
 * one. Returns the version that it has if this call has created it, and otherwise the conflict. `revision` is that of a
 * deleted note, which is restored.
 */
export const pushNote = async (client: SheafClient, id: string, data: NewNote, revision = 0) => {
  const pushed = await client.pushChanges({ changes: [{ type: "note", op: "upsert", id, revision, data }] })
  const [result] = pushed.results
  if (result?.status === "rejected") throw new SheafError(result.error as Problem)
  return { conflict: pushed.conflicts[0], version: result?.status === "applied" ? result.revision : undefined }
}
