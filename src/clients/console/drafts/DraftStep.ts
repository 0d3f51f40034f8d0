import type { Schemas } from "../../client/SheafClient.ts"
import type { DraftEffect } from "./DraftEvent.ts"
import { type DraftState, isKept, isRunning, type Phase, toSend } from "./DraftState.ts"
import { contentOf } from "./NoteConflict.ts"
import type { NoteContent } from "./NoteContent.ts"

type Note = Schemas["Note"]

/** The draft after an event, and the effects of the event. */
export type DraftStep = readonly [DraftState, ...ReadonlyArray<DraftEffect>]

/** The step to a phase. A closed draft is left as soon as no request runs. */
export const at = (before: DraftState, phase: Phase, ...effects: ReadonlyArray<DraftEffect>): DraftStep => {
  const state = { ...before, phase }
  return [state, ...effects, ...(state.reader === "closed" && !isRunning(state) ? (["leave"] as const) : [])]
}

/** The draft is saved. It shows the newest state of the note that has come. */
export const saved = (state: DraftState, ...effects: ReadonlyArray<DraftEffect>): DraftStep => {
  const { newest, note } = state
  const isNewer = newest !== undefined && newest.id === note?.id && newest.version > note.version
  const shown = isNewer ? { ...state, note: newest, content: contentOf(newest) } : state
  return at({ ...shown, trouble: undefined }, { kind: "saved" }, ...effects)
}

export const unsaved = (state: DraftState, ...effects: ReadonlyArray<DraftEffect>): DraftStep =>
  at(state, { kind: "unsaved" }, "store", ...effects)

/** Sends the text. A repetition has the text of the first attempt, which may have been processed. */
export const begun = (state: DraftState, isUrgent: boolean): DraftStep => {
  const attempt =
    state.note === undefined
      ? { creation: state.creation ?? { key: state.creation_key, content: state.first ?? toSend(state) } }
      : { sent: state.sent ?? toSend(state) }
  return at({ ...state, ...attempt }, { kind: "saving", isUrgent }, "store", "send")
}

/** Sends what the server does not have: `isNow`, or after a pause. */
export const following = (state: DraftState, isNow: boolean): DraftStep => {
  const isUrgent = state.phase.kind === "saving" ? state.phase.isUrgent : isNow
  if (isKept(state)) return saved(state, "remove")
  return isNow || isUrgent || state.reader === "closed" ? begun(state, isUrgent) : unsaved(state, "pause")
}

/** Continues with a text that was made from another version of the note, or from none. A conflict is over. */
export const continued = (state: DraftState, note: Note | undefined, content: NoteContent): DraftState => ({
  ...state,
  note,
  content,
  first: undefined,
  creation: undefined,
  sent: undefined,
  edited: undefined,
  trouble: undefined
})
