import type { DraftEvent, DraftEvents } from "./DraftEvent.ts"
import { type DraftState, isRunning, type Phase, type PhaseOf, textOf, toSend } from "./DraftState.ts"
import { at, begun, continued, type DraftStep, following, gone, met, withNewer } from "./DraftStep.ts"
import { afterDecision, contentOf, meet, type NoteConflict, withTheirs, withTyped } from "./NoteConflict.ts"
import { type NoteContent, sameContent, withOneLine } from "./NoteContent.ts"
import { isRefusal, type SaveFailure } from "./SaveFailure.ts"

const typed = (before: DraftState, { change }: DraftEvent<"typed">): DraftStep => {
  const content = withOneLine({ ...before.content, ...change })
  const withChange = (result: NoteContent) => withTyped(result, before.content, content)
  const { phase } = before
  const edited = before.edited && { ...before.edited, result: withChange(before.edited.result) }
  const state = { ...before, content, edited }
  switch (phase.kind) {
    case "saving":
      return [state, "store", "pause"]
    case "conflict":
    case "resolving": {
      const conflict = { ...phase.conflict, yours: toSend(state), result: withChange(phase.conflict.result) }
      if (phase.kind === "conflict") return at(state, { ...phase, conflict }, "store")
      return [{ ...state, phase: { ...phase, conflict, before: withChange(phase.before) } }, "store"]
    }
    default:
      return following(state, false)
  }
}

/** From here on a page that continues the draft finds the result. */
const decide = (state: DraftState, conflict: NoteConflict, before: NoteContent): DraftStep => [
  { ...state, phase: { kind: "resolving", conflict, before } },
  "store",
  "send"
]

const failed = (state: DraftState, failure: SaveFailure, key: string): DraftStep => {
  if (failure.kind === "gone" && state.note !== undefined) return gone(state, failure)
  if (isRefusal(failure)) {
    // A note that does not exist yet cannot be gone: its workspace is. What is typed next may be accepted. The server has
    // stored the refusal under the key.
    const trouble = { ...failure, kind: "refused" } as const
    const other = { ...state, creation: undefined, creation_key: key, sent: undefined, trouble }
    return at(other, { kind: "unsaved" }, "store")
  }
  if (failure.kind === "signedOut") return at(state, { kind: "unsaved" }, "store")
  const trouble = failure.kind === "offline" ? failure : state.trouble
  return at({ ...state, trouble }, { kind: "unsaved" }, "store", "repeat")
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

/** A cell of all phases in which no request runs: while one runs, its outcome comes first. */
const between =
  <Event>(cell: Cell<Event>): Cell<Event> =>
  (state, event) =>
    isRunning(state) ? [state] : cell(state, event)

/** What an event leads to. */
const cells: { readonly [Type in keyof DraftEvents]: Cell<DraftEvent<Type>> } = {
  typed,
  edited: (state, { result }) => {
    const { phase } = state
    if (!("conflict" in phase)) return [state]
    return [{ ...state, phase: { ...phase, conflict: { ...phase.conflict, result: withOneLine(result) } } }, "store"]
  },
  resolve: within("conflict", (state, { result }, { conflict }) =>
    decide(state, { ...conflict, result: withOneLine(result) }, conflict.result)
  ),
  save: (state, { isUrgent }) => {
    const { phase } = state
    if (phase.kind === "saved") return [state, "remove"]
    if (phase.kind === "unsaved") return begun(state, isUrgent)
    return [phase.kind === "saving" && isUrgent ? { ...state, phase: { ...phase, isUrgent } } : state]
  },
  attend: (before) => {
    const { phase, reader } = before
    if (reader !== "absent") return [before]
    const state: DraftState = { ...before, reader: "shown" }
    return phase.kind === "unsaved" ? [state, "pause"] : [state]
  },
  close: (before) => {
    const { phase } = before
    const state: DraftState = { ...before, reader: "closed" }
    if (isRunning(state)) return [state]
    return phase.kind === "conflict" ? at(state, phase) : following(state, true)
  },
  leave: (state) => [{ ...state, reader: "closed" }, "leave"],
  discard: between((state, { key }) => {
    const others = { creation: undefined, creation_key: key, sent: undefined, edited: undefined, trouble: undefined }
    return at({ ...state, content: textOf(state.note), ...others }, { kind: "saved" }, "remove")
  }),
  saveAsNew: between((state, { key, notebook_id }) =>
    isRefusal(state.trouble)
      ? following(
          { ...state, notebook_id, note: undefined, creation_key: key, sent: undefined, trouble: undefined },
          true
        )
      : [state]
  ),
  received: (state, { note }) => {
    const { phase } = state
    if (phase.kind === "saved") return [withNewer(state, note)]
    return [phase.kind === "saving" ? { ...state, phase: { ...phase, newest: note } } : state]
  },
  stored: within("saving", (state, { note }) =>
    following({ ...state, note, creation: undefined, sent: undefined, trouble: undefined }, false)
  ),
  behind: within("saving", (state, { known, note }) => {
    const { edited, sent } = state
    const yours = toSend(state)
    const meeting = meet({ known, note, yours, sent, edited })
    if ("result" in meeting) return met(state, meeting)
    if (sameContent(meeting.content, yours)) return following(continued(state, meeting.note, state.content), true)
    const merged = { base: contentOf(known), theirs: contentOf(note), yours }
    return following({ ...continued(state, meeting.note, meeting.content), merged }, true)
  }),
  // The result may have got the link of a file meanwhile.
  decided: within("resolving", (state, { note, sent }, { conflict }) =>
    following(continued(state, note, afterDecision(conflict.result, sent, note)), true)
  ),
  overtaken: within("resolving", (state, { note }, { before, ...phase }) => {
    const { conflict, isClear } = withTheirs(phase.conflict, note)
    return isClear ? decide(state, conflict, before) : at(state, { kind: "conflict", conflict }, "store")
  }),
  failed: (state, { failure, key }) => {
    const { phase } = state
    if (phase.kind === "saving") return failed(state, failure, key)
    if (phase.kind !== "resolving") return [state]
    const { before, conflict } = phase
    if (failure.kind === "gone") return gone(state, failure, conflict)
    return at(state, { kind: "conflict", conflict: { ...conflict, result: before } }, "store")
  }
}

/**
 * The life of a draft: what an event leads to. `DraftLife.test.ts` has the table of all phases and events. A request runs
 * only in the phases `saving` and `resolving`, which end by its outcome alone. Nothing that was typed is dropped.
 */
export const transition = <Type extends keyof DraftEvents>(state: DraftState, event: DraftEvent<Type>): DraftStep =>
  cells[event.type](state, event)
