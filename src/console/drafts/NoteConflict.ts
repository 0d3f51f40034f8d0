import type { Schemas } from "../../client/SheafClient.ts"
import { bytesOf, mostTextBytes } from "../../sync/Merge.ts"
import type { EditedResult } from "./StoredDraft.ts"
import { hasWordsOf, isTitleClear, mergeContent, type NoteContent, sameContent, type Sides } from "./NoteContent.ts"

type Note = Schemas["Note"]

/**
 * Two texts that the user has to decide about, the note as the server has it, and the result so far: at first it has the
 * words of both.
 */
export interface NoteConflict extends Sides, EditedResult {}

/** A text whose note has another version on the server. */
interface Meeting {
  /** The note that the text was made from. */
  readonly known: Note
  readonly yours: NoteContent
  /** The text that was sent, and whose response has not come. */
  readonly sent: NoteContent | undefined
  /** The result of a conflict that an earlier page has left. */
  readonly edited: EditedResult | undefined
  /** The note as the server has it. */
  readonly note: Note
}

/** Whether a result cannot have the words of both: there is one title, and a note has a largest size. */
export const needsDecision = (conflict: NoteConflict): boolean =>
  !isTitleClear(conflict) || bytesOf(conflict.result.body) > mostTextBytes

/** How a text continues, and from which version of its note. */
interface Continuation {
  readonly note: Note
  readonly content: NoteContent
}

export const contentOf = ({ body, title }: Note): NoteContent => ({ title, body })

const mergedContent = (base: NoteContent, theirs: NoteContent, yours: NoteContent): NoteContent =>
  mergeContent({ base, theirs, yours }).merged

/** Whether the server has processed a text that was sent under the version of `known`, and whose response was lost. */
export const isProcessed = (known: Note, sent: NoteContent, note: Note): boolean => {
  const theirs = contentOf(note)
  return sameContent(mergedContent(contentOf(known), theirs, sent), theirs)
}

/** What both texts have in common: the text that was sent, if the server has processed it. */
const baseOf = ({ known, note, sent }: Meeting): NoteContent =>
  sent !== undefined && isProcessed(known, sent, note) ? sent : contentOf(known)

/** Merges a text with the note as the server has it. Returns a conflict where both sides have changed the same words. */
export const meet = (meeting: Meeting): NoteConflict | Continuation => {
  const { edited, note, yours } = meeting
  // The earlier page had stored the result.
  if (edited !== undefined && hasWordsOf(edited.result, yours) && isProcessed(edited.note, edited.result, note))
    return { note, content: contentOf(note) }
  const [base, theirs] = [baseOf(meeting), contentOf(note)]
  const { isClear, merged } = mergeContent({ base, theirs, yours })
  if (!isClear) return { base, theirs, yours, note, result: edited === undefined ? merged : withChanges(edited, note) }
  if (edited === undefined) return { note, content: merged }
  // The earlier page had stored your version, and was closed before the result.
  if (sameContent(merged, theirs)) return { note, content: mergedContent(yours, theirs, edited.result) }
  return { note: edited.note, content: edited.result }
}

/** A result with what others have written since. */
const withChanges = ({ note, result }: EditedResult, newer: Note): NoteContent =>
  mergedContent(contentOf(note), contentOf(newer), result)

/** A result with what was typed on the screen, such as the link of a file whose upload ends during the conflict. */
export const withTyped = (result: NoteContent, before: NoteContent, after: NoteContent): NoteContent =>
  mergedContent(before, result, after)

/** A conflict after others have changed the note again. `isClear` says that the result has their changes. */
export const withTheirs = (
  conflict: NoteConflict,
  note: Note
): { readonly conflict: NoteConflict; readonly isClear: boolean } => {
  const theirs = contentOf(note)
  const { isClear, merged } = mergeContent({ base: contentOf(conflict.note), theirs, yours: conflict.result })
  return { conflict: { ...conflict, note, theirs, result: merged }, isClear }
}

/** The result of a conflict with what others have written since a text of it was stored. */
export const afterDecision = (result: NoteContent, sent: NoteContent, note: Note): NoteContent =>
  mergedContent(sent, contentOf(note), result)
