import type { Schemas } from "../../client/SheafClient.ts"
import type { NoteContent } from "./NoteContent.ts"
import type { SaveFailure } from "./SaveFailure.ts"

type Note = Schemas["Note"]

/** An event of a draft. A `key` is a new idempotency key, for the creation of another text. */
export interface DraftEvents {
  /** The user has typed. */
  readonly typed: { readonly change: Partial<NoteContent> }
  /** The user has edited the result of a conflict. */
  readonly edited: { readonly result: NoteContent }
  /** The user has decided about a conflict. */
  readonly resolve: { readonly result: NoteContent }
  /** A pause is over; or, with `isUrgent`, the whole text is to be saved now. */
  readonly save: { readonly isUrgent: boolean }
  /** A user opens a text that was sent without a pane. */
  readonly attend: {}
  /** The pane is closed. */
  readonly close: {}
  /** The text is left as it is, to any tab. */
  readonly leave: {}
  /** The user drops what the server has not stored. */
  readonly discard: { readonly key: string }
  /** The user saves the text as a new note of a notebook, because its note is gone or refuses it. */
  readonly saveAsNew: { readonly notebook_id: string; readonly key: string }
  /** A state of the note has come, such as by the stream. */
  readonly received: { readonly note: Note }
  /** The server has stored the text. */
  readonly stored: { readonly note: Note }
  /** The server has another version of the note. `known` is the one that the text was made from. */
  readonly behind: { readonly known: Note; readonly note: Note }
  /** The server has stored a text of a decision, after which `note` may have changes of others. */
  readonly decided: { readonly sent: NoteContent; readonly note: Note }
  /** Others have changed the note before the decision was stored. */
  readonly overtaken: { readonly note: Note }
  /** The request has failed. */
  readonly failed: { readonly failure: SaveFailure; readonly key: string }
}

export type DraftEvent<Type extends keyof DraftEvents = keyof DraftEvents> = {
  readonly [Each in Type]: { readonly type: Each } & DraftEvents[Each]
}[Type]

/** The commands, in this order. */
export type DraftEffect =
  /** Writes the draft on this device, or removes it there. */
  | "store"
  | "remove"
  /** Sends the text, or the decision about a conflict, as soon as the draft is written. */
  | "send"
  /** Saves after a pause of typing, or after the pause between attempts. */
  | "pause"
  | "repeat"
  /** Leaves the draft to any tab, until it is stored again. */
  | "leave"
