import { type CallOptions, isProblem, type Schemas, type SheafClient } from "../../client/SheafClient.ts"

type Note = Schemas["Note"]

/** Properties of a note that change without its text. */
export type NoteChange = Partial<Pick<Note, "pinned" | "archived" | "notebook_id" | "tags">>

type Known = Pick<Note, "id" | "version">

/** Maximum number of repetitions while other users change the same note. */
const maxTries = 3

/**
 * Changes properties of a note under its version, and as it is then if another user has changed it meanwhile. Returns
 * undefined if there is nothing to change.
 */
export const editNote = async <A extends Known>(
  client: SheafClient,
  known: A,
  changeOf: (note: A | Note) => NoteChange | undefined,
  options?: CallOptions
): Promise<{ readonly before: A | Note; readonly after: Note } | undefined> => {
  let before: A | Note = known
  for (let tries = 0; ; tries++) {
    const change = changeOf(before)
    const { id, version } = before
    try {
      if (change !== undefined) return { before, after: await client.updateNote({ id, version, ...change }, options) }
      // A list may have an earlier state, with what is wanted now.
      if (tries > 0) return undefined
    } catch (error) {
      if (!isProblem(error, "precondition_failed") || tries >= maxTries) throw error
    }
    before = await client.getNote({ id })
  }
}
