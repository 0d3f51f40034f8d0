import type { Schemas } from "../../client/SheafClient.ts"
import { bytesOf, maxTextBytes } from "../../../../services/records/Merge.ts"
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
  !isTitleClear(conflict) || bytesOf(conflict.result.body) > maxTextBytes

export const contentOf = ({ body, title }: Note): NoteContent => ({ title, body })

/** The words of both sides, theirs first where both have changed the same ones. */
export const mergedContent = (base: NoteContent, theirs: NoteContent, yours: NoteContent): NoteContent =>
  mergeContent({ base, theirs, yours }).merged

/** Whether the server has processed a text that was sent under the version of `known`, and whose response was lost. */
export const isProcessed = (known: Note, sent: NoteContent, note: Note): boolean => {
  const theirs = contentOf(note)
  return sameContent(mergedContent(contentOf(known), theirs, sent), theirs)
}

/** The common base of both texts: the text that was sent, if the server has processed it. */
const baseOf = ({ known, note, sent }: Meeting): NoteContent =>
  sent !== undefined && isProcessed(known, sent, note) ? sent : contentOf(known)

interface Met extends NoteConflict {
  /** Whether the text continues with the result, from the version of `note`, because both sides have changed different words. */
  readonly isClear: boolean
}

/** Merges a text with the note as the server has it. */
export const meet = (meeting: Meeting): Met => {
  const { edited, note, yours } = meeting
  const sides = { base: baseOf(meeting), theirs: contentOf(note), yours }
  const { isClear, merged } = mergeContent(sides)
  const met = { ...sides, note, result: merged, isClear }
  if (edited === undefined) return met
  // The earlier page had stored the result.
  if (hasWordsOf(edited.result, yours) && isProcessed(edited.note, edited.result, note))
    return { ...met, result: sides.theirs, isClear: true }
  if (!isClear) return { ...met, result: mergedContent(contentOf(edited.note), sides.theirs, edited.result) }
  // The earlier page had stored your version, and was closed before the result.
  if (sameContent(merged, sides.theirs)) return { ...met, result: mergedContent(yours, sides.theirs, edited.result) }
  return { ...met, ...edited }
}

/** A conflict after others have changed the note again. `isClear` says that the result has their changes. */
export const withTheirs = (
  conflict: NoteConflict,
  note: Note
): { readonly conflict: NoteConflict; readonly isClear: boolean } => {
  const theirs = contentOf(note)
  const { isClear, merged } = mergeContent({ base: contentOf(conflict.note), theirs, yours: conflict.result })
  return { conflict: { ...conflict, note, theirs, result: merged }, isClear }
}
