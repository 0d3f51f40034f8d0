import { isProblem, type Schemas, type SheafClient } from "../../client/SheafClient.ts"
import type { DraftEvent } from "./DraftEvent.ts"
import type { DraftState } from "./DraftState.ts"
import { isProcessed, type NoteConflict } from "./NoteConflict.ts"
import { hasWordsOf, type NoteContent, sameContent } from "./NoteContent.ts"

type Note = Schemas["Note"]

/** The note that the next version is made from: the text of a lost attempt, if the history has it as its next version. */
const afterAttempt = async (client: SheafClient, known: Note, sent: NoteContent): Promise<Note> => {
  const { id, version } = known
  const next = await client.getNoteVersion({ id, version: version + 1 }).catch((error: unknown) => {
    if (!isProblem(error, "not_found")) throw error
  })
  return next && sameContent(next, sent) ? { ...known, ...sent } : known
}

/** Stores a text under the version of a note. Returns the note with it, or the note as others have changed it. */
const update = async (client: SheafClient, { id, version }: Note, content: NoteContent) => {
  try {
    return { note: await client.updateNote({ id, version, ...content }), isStored: true }
  } catch (error) {
    if (!isProblem(error, "precondition_failed")) throw error
    return { note: await client.getNote({ id }), isStored: false }
  }
}

/**
 * Stores the result of a conflict. If it lacks words of your version, that is stored first, as a version of its own: the
 * history then has both texts. Otherwise it is not, because for that moment the note would lack what others have written.
 */
const storeDecision = async (client: SheafClient, conflict: NoteConflict): Promise<DraftEvent> => {
  const { result, yours } = conflict
  const sent = hasWordsOf(result, yours) ? result : yours
  const { isStored, note } = await update(client, conflict.note, sent)
  return isStored || isProcessed(conflict.note, sent, note)
    ? { type: "decided", sent, note }
    : { type: "overtaken", note }
}

/** Sends the request of a draft, and returns its outcome. */
export const outcomeOf = async (client: SheafClient, state: DraftState): Promise<DraftEvent> => {
  const { creation, note, notebook_id, phase, sent } = state
  if (phase.kind === "resolving") return storeDecision(client, phase.conflict)
  if (note !== undefined && sent !== undefined) {
    const updated = await update(client, note, sent)
    if (updated.isStored) return { type: "stored", note: updated.note }
    return { type: "behind", known: await afterAttempt(client, note, sent), note: updated.note }
  }
  const { content, key } = creation!
  return { type: "stored", note: await client.createNote({ notebook_id, ...content }, { idempotencyKey: key }) }
}
