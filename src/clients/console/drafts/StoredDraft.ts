import type { Schemas } from "../../client/SheafClient.ts"
import type { NoteContent } from "./NoteContent.ts"

/** The creation of a note whose response has not come: a repetition has the same key and the same content. */
export interface Creation {
  readonly key: string
  readonly content: NoteContent
}

/** The result of a conflict, as far as the user has edited it. */
export interface EditedResult {
  /** The note as the server had it, with which the text conflicts. */
  readonly note: Schemas["Note"]
  readonly result: NoteContent
}

/** Text that is not on the server yet. It is kept until the server has stored it. */
export interface StoredDraft {
  readonly key: string
  readonly account: string
  readonly workspace: string
  readonly notebook_id: string
  /** The note that the text was made from; undefined while it is not created. */
  readonly note?: Schemas["Note"] | undefined
  /** The text on the screen. */
  readonly content: NoteContent
  /** Your version of a conflict, which the history of a new note has before the text. */
  readonly first?: NoteContent | undefined
  /** Its creation, if that was sent and its response has not come. */
  readonly creation?: Creation | undefined
  /** The idempotency key of its creation. It stays when the draft gets another key; by default it is that key. */
  readonly creation_key?: string
  /** The text that was sent under the version of the note, if its response has not come. */
  readonly sent?: NoteContent | undefined
  /** The decision about a conflict of this text, until the server has stored it, or a user sees it on a later page. */
  readonly edited?: EditedResult | undefined
  /** Milliseconds. */
  readonly changed_at: number
}

/** The part that stays the same when a draft gets another key: its note, or the creation of it. */
export const identityOf = ({ creation_key, key, note }: StoredDraft): string => note?.id ?? creation_key ?? key
