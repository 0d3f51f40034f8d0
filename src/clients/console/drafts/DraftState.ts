import type { Schemas } from "../../client/SheafClient.ts"
import type { EditedResult, StoredDraft } from "./StoredDraft.ts"
import { contentOf, type NoteConflict } from "./NoteConflict.ts"
import { type NoteContent, sameContent, type Sides } from "./NoteContent.ts"
import type { Trouble } from "./SaveFailure.ts"

type Note = Schemas["Note"]

/** Where a draft belongs. */
export interface DraftOwner extends Pick<StoredDraft, "account" | "workspace" | "notebook_id"> {
  /** The title of notes without one, because a note needs a title. */
  readonly untitled: string
}

/** The stored part of a draft. */
type DraftContent = Omit<StoredDraft, "key" | "changed_at"> & { readonly creation_key: string }

export type Phase =
  /** The server has the text, or there is none. */
  | { readonly kind: "saved" }
  /** The text waits for a pause, or after a failure for another attempt. */
  | { readonly kind: "unsaved" }
  /** A request with the text runs. */
  | {
      readonly kind: "saving"
      /** Whether what is typed meanwhile is sent at once, and not after a pause. */
      readonly isUrgent: boolean
    }
  /** Until the user has decided, nothing is sent. */
  | { readonly kind: "conflict"; readonly conflict: NoteConflict }
  /** A request with the decision runs. */
  | {
      readonly kind: "resolving"
      /** With the chosen result. */
      readonly conflict: NoteConflict
      /** The result before the choice: if the request fails, the user chooses again. */
      readonly before: NoteContent
    }

export type PhaseOf<Kind extends Phase["kind"]> = Extract<Phase, { readonly kind: Kind }>

/** A draft: its text, what the text was made from, and how far it is saved. */
export interface DraftState extends DraftOwner, DraftContent {
  /** How far the text is saved. */
  readonly phase: Phase
  /** Why the last attempt has failed, until another one succeeds. */
  readonly trouble?: Trouble | undefined
  /**
   * `shown`: a pane has the text, and the user sees how it is merged. `absent`: the text is sent without a pane. `closed`:
   * the pane was closed, and the text is left to any tab as soon as no request runs.
   */
  readonly reader: "shown" | "absent" | "closed"
  /** The last state of the note that has come. It is shown when the text is saved. */
  readonly newest?: Note
  /** The texts of the last merge with changes of others. */
  readonly merged?: Sides
}

export const textOf = (note: Note | undefined): NoteContent =>
  note === undefined ? { title: "", body: "" } : contentOf(note)

/** The text as it is sent. */
export const toSend = ({ content: { body, title }, untitled }: DraftState): NoteContent => ({
  title: title.trim() === "" ? untitled : title,
  body
})

/** Whether the server has the text on the screen. */
export const isSaved = (state: DraftState): boolean =>
  state.note !== undefined && sameContent(toSend(state), contentOf(state.note))

const isEmpty = ({ content: { body, title }, creation, note }: DraftState): boolean =>
  note === undefined && creation === undefined && body.trim() === "" && title.trim() === ""

/** Whether a request runs, whose outcome comes next. */
export const isRunning = ({ phase: { kind } }: DraftState): boolean => kind === "saving" || kind === "resolving"

/** Whether the server has the text, or there is none: then this device need not keep it. */
export const isKept = (state: DraftState): boolean =>
  (isSaved(state) && state.sent === undefined && state.edited === undefined) || isEmpty(state)

/** A draft of a note, of a new one, or one that was left. `key` is a new idempotency key. */
export const draftState = (owner: DraftOwner, key: string, note?: Note, stored?: StoredDraft): DraftState => {
  const state: DraftState = {
    note,
    content: textOf(note),
    ...stored,
    ...owner,
    creation_key: stored?.creation_key ?? stored?.key ?? key,
    phase: { kind: "saved" },
    reader: stored === undefined ? "shown" : "absent"
  }
  return isKept(state) ? state : { ...state, phase: { kind: "unsaved" } }
}

const decisionOf = ({ edited, phase }: DraftState): EditedResult | undefined =>
  "conflict" in phase ? phase.conflict : edited

/** The result of a conflict, unless it is their version, which their note has. */
export const ownResult = (state: DraftState): EditedResult | undefined => {
  const decision = decisionOf(state)
  return decision && sameContent(decision.result, contentOf(decision.note)) ? undefined : decision
}

/** Returns the part of a draft that this device stores. */
export const storedOf = (state: DraftState): DraftContent => {
  const { merged: _, newest: __, phase: ___, reader: ____, trouble: _____, untitled: ______, ...stored } = state
  const decision = decisionOf(state)
  return { ...stored, edited: decision && { note: decision.note, result: decision.result } }
}
