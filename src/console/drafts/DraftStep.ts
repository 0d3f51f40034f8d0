import type { Schemas } from "../../client/SheafClient.ts"
import type { DraftEffect } from "./DraftEvent.ts"
import { type DraftState, isKept, type Phase, toSend } from "./DraftState.ts"
import { contentOf, needsDecision, type NoteConflict } from "./NoteConflict.ts"
import { type NoteContent, sameContent } from "./NoteContent.ts"

type Note = Schemas["Note"]

/** The draft after an event, and the effects of the event. */
export type DraftStep = readonly [DraftState, ...ReadonlyArray<DraftEffect>]

/** No request runs: a closed draft is left. */
export const at = (state: DraftState, phase: Phase, ...effects: ReadonlyArray<DraftEffect>): DraftStep => [
  { ...state, phase },
  ...effects,
  ...(state.reader === "closed" ? (["leave"] as const) : [])
]

/** Shows a note whose text on the screen is saved, if it is later than that. */
export const withNewer = (state: DraftState, note: Note | undefined): DraftState => {
  const known = state.note
  const isNewer = note !== undefined && note.id === known?.id && note.version > known.version
  return isNewer ? { ...state, note, content: contentOf(note) } : state
}

/** Sends the text. A repetition has the text of the first attempt, which may have been processed. */
export const begun = (state: DraftState, isUrgent: boolean, newest?: Note): DraftStep => {
  const { note, sent } = state
  const phase = { kind: "saving", isUrgent, newest } as const
  if (note !== undefined) return [{ ...state, phase, sent: sent ?? toSend(state) }, "send"]
  const creation = state.creation ?? { key: state.creation_key, content: toSend(state) }
  return [{ ...state, phase, creation }, "store", "send"]
}

/** No request runs, and what the server does not have is sent: `isNow`, or after a pause. */
export const following = (state: DraftState, isNow: boolean): DraftStep => {
  const { phase, reader } = state
  const { isUrgent, newest } = phase.kind === "saving" ? phase : { isUrgent: isNow, newest: undefined }
  if (isKept(state)) return at(withNewer({ ...state, trouble: undefined }, newest), { kind: "saved" }, "remove")
  if (!isNow && !isUrgent && reader !== "closed") return [{ ...state, phase: { kind: "unsaved" } }, "store", "pause"]
  const [next] = begun(state, isUrgent, newest)
  return [next, "store", "send"]
}

/** Continues with a text that was made from another version of the note. A conflict is over. */
export const continued = (state: DraftState, note: Note, content: NoteContent): DraftState => ({
  ...state,
  note,
  content,
  sent: undefined,
  edited: undefined,
  trouble: undefined
})

/** Continues with the words of both sides of a conflict, unless the user decides, or continues a result that was edited. */
export const met = (state: DraftState, conflict: NoteConflict): DraftStep => {
  const { base, note, result, theirs, yours } = conflict
  // The draft keeps its version: whatever happens to this page, the texts meet again.
  if (state.reader === "absent") return at({ ...state, trouble: undefined }, { kind: "unsaved" }, "store")
  if (state.edited === undefined && !needsDecision(conflict))
    return following({ ...continued(state, note, result), merged: { base, theirs, yours } }, true)
  return at({ ...state, edited: undefined, trouble: undefined }, { kind: "conflict", conflict }, "store")
}

/** The note was deleted. The result of a conflict is the text then, unless it is their version, which is in the trash. */
export const gone = (state: DraftState, trouble: DraftState["trouble"], decision = state.edited): DraftStep => {
  const isOwn = decision !== undefined && !sameContent(decision.result, contentOf(decision.note))
  const content = isOwn ? decision.result : state.content
  return at({ ...state, content, edited: undefined, trouble }, { kind: "unsaved" }, "store")
}
