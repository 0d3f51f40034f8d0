import type { DraftEvent, DraftEvents } from "./DraftEvent.ts"
import { type DraftState, isRunning, type Phase, type PhaseOf, ownResult, textOf, toSend } from "./DraftState.ts"
import { at, begun, continued, type DraftStep, following, saved, unsaved } from "./DraftStep.ts"
import { contentOf, meet, mergedContent, needsDecision, type NoteConflict, withTheirs } from "./NoteConflict.ts"
import { type NoteContent, sameContent, withOneLine } from "./NoteContent.ts"
import { isRefusal } from "./SaveFailure.ts"

const typed = (before: DraftState, { change }: DraftEvent<"typed">): DraftStep => {
  const content = withOneLine({ ...before.content, ...change })
  // Such as the link of a file whose upload ends during a conflict.
  const withChange = (result: NoteContent) => mergedContent(before.content, result, content)
  const { edited, first, phase } = before
  const state = {
    ...before,
    content,
    first: first && withChange(first),
    edited: edited && { ...edited, result: withChange(edited.result) }
  }
  if (phase.kind === "saving") return at(state, phase, "store", "pause")
  if (!("conflict" in phase)) return following(state, false)
  const conflict = { ...phase.conflict, yours: toSend(state), result: withChange(phase.conflict.result) }
  if (phase.kind === "conflict") return at(state, { ...phase, conflict }, "store")
  return at(state, { ...phase, conflict, before: withChange(phase.before) }, "store")
}

/** Others have changed the note. Continues with the words of both sides, unless the user decides or has edited a result. */
const behind = (state: DraftState, { known, note }: DraftEvent<"behind">): DraftStep => {
  const { edited, reader, sent } = state
  const { isClear, ...conflict } = meet({ known, note, yours: toSend(state), sent, edited })
  if (isClear || (reader !== "absent" && edited === undefined && !needsDecision(conflict))) {
    const { result, yours } = conflict
    return sameContent(result, yours)
      ? following(continued(state, conflict.note, state.content), true)
      : following({ ...continued(state, conflict.note, result), merged: conflict }, true)
  }
  const next = { ...state, trouble: undefined }
  // The draft keeps its version: whatever happens to this page, the texts meet again.
  return reader === "absent"
    ? unsaved(next)
    : at({ ...next, edited: undefined }, { kind: "conflict", conflict }, "store")
}

/** From here on a page that continues the draft finds the result. */
const decide = (state: DraftState, conflict: NoteConflict, before: NoteContent): DraftStep =>
  at(state, { kind: "resolving", conflict, before }, "store", "send")

const failed = (state: DraftState, { failure, key }: DraftEvent<"failed">): DraftStep => {
  const { note, phase } = state
  if (!isRunning(state)) return [state]
  // The note was deleted.
  if (failure.kind === "gone" && note !== undefined)
    return unsaved({ ...state, edited: ownResult(state), trouble: failure })
  // The user chooses again.
  if (phase.kind === "resolving")
    return at(state, { kind: "conflict", conflict: { ...phase.conflict, result: phase.before } }, "store")
  if (isRefusal(failure)) {
    // A note that does not exist yet cannot be gone: its workspace is. What is typed next may be accepted. The server has
    // stored the refusal under the key.
    const trouble = { ...failure, kind: "refused" } as const
    return unsaved({ ...state, creation: undefined, creation_key: key, sent: undefined, trouble })
  }
  if (failure.kind === "signedOut") return unsaved(state)
  return unsaved({ ...state, trouble: failure.kind === "offline" ? failure : state.trouble }, "repeat")
}

type Cell<Event> = (state: DraftState, event: Event) => DraftStep

const isAt = <Kind extends Phase["kind"]>(phase: Phase, kind: Kind): phase is PhaseOf<Kind> => phase.kind === kind

/** A cell of one phase: in the others, the event changes nothing. */
const within =
  <Kind extends Phase["kind"], Event>(
    kind: Kind,
    cell: (state: DraftState, event: Event, phase: PhaseOf<Kind>) => DraftStep
  ): Cell<Event> =>
  (state, event) =>
    isAt(state.phase, kind) ? cell(state, event, state.phase) : [state]

/** The transition of each event. */
const cells: { readonly [Type in keyof DraftEvents]: Cell<DraftEvent<Type>> } = {
  typed,
  edited: within("conflict", (state, { result }, { conflict }) =>
    at(state, { kind: "conflict", conflict: { ...conflict, result: withOneLine(result) } }, "store")
  ),
  resolve: within("conflict", (state, { result }, { conflict }) =>
    decide(state, { ...conflict, result }, conflict.result)
  ),
  save: (state, { isUrgent }) => {
    const { phase } = state
    if (phase.kind === "saved") return saved(state, "remove")
    if (phase.kind === "unsaved") return begun(state, isUrgent)
    return phase.kind === "saving" && isUrgent ? at(state, { ...phase, isUrgent }) : [state]
  },
  attend: (state) => (state.reader === "absent" ? [{ ...state, reader: "shown" }, "pause"] : [state]),
  close: (before) => {
    const state: DraftState = { ...before, reader: "closed" }
    return state.phase.kind === "unsaved" ? following(state, true) : at(state, state.phase)
  },
  leave: (state) => at({ ...state, reader: "closed" }, state.phase),
  discard: (state, { key }) => {
    const note = "conflict" in state.phase ? state.phase.conflict.note : state.note
    return saved({ ...continued(state, note, textOf(note)), creation_key: key }, "remove")
  },
  saveAsNew: (before, { key, notebook_id }) => {
    const state = continued(before, undefined, ownResult(before)?.result ?? before.content)
    return begun({ ...state, notebook_id, first: toSend(before), creation_key: key }, true)
  },
  received: (before, { note }) => {
    const state = { ...before, newest: note }
    return before.phase.kind === "saved" ? saved(state) : [state]
  },
  stored: within("saving", (state, { note }) => following(continued(state, note, state.content), false)),
  behind: within("saving", behind),
  // The result may have got the link of a file meanwhile.
  decided: within("resolving", (state, { note, sent }, { conflict }) =>
    following(continued(state, note, mergedContent(sent, contentOf(note), conflict.result)), true)
  ),
  overtaken: within("resolving", (state, { note }, phase) => {
    const { conflict, isClear } = withTheirs(phase.conflict, note)
    return isClear ? decide(state, conflict, phase.before) : at(state, { kind: "conflict", conflict }, "store")
  }),
  failed
}

/**
 * The life of a draft: what an event leads to. The table of all phases and events is in docs/architecture.md. Nothing that
 * was typed is dropped, unless the user discards it.
 */
export const transition = <Type extends keyof DraftEvents>(state: DraftState, event: DraftEvent<Type>): DraftStep =>
  cells[event.type](state, event)

/**
 * What the outcome of a request leads to that was sent for an earlier state. The user may have discarded the text
 * meanwhile, or saved it as a new note: then the request is that of another text, as those of other users are.
 */
export const answered = (sent: DraftState, state: DraftState, outcome: DraftEvent): DraftStep => {
  if (sent.creation_key === state.creation_key) return transition(state, outcome)
  return "note" in outcome ? transition(state, { type: "received", note: outcome.note }) : [state]
}
