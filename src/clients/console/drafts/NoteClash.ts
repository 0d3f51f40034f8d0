import { isProblem, type Schemas, type SheafClient } from "../../client/SheafClient.ts"
import { bytesOf, mostTextBytes } from "../../sync/Merge.ts"
import type { EditedResult } from "./DraftStore.ts"
import { hasWordsOf, isTitleClear, mergeContent, type NoteContent, sameContent, type Sides } from "./NoteContent.ts"

type Note = Schemas["Note"]

/**
 * Two texts that the person has to decide about, the note as the server has it, and the result so far: at first it has the
 * words of both.
 */
export interface NoteClash extends Sides, EditedResult {}

/** A text whose note has another version on the server. */
interface Meeting {
  /** The note that the text was made from. */
  readonly known: Note
  readonly mine: NoteContent
  /** The text that was sent, and whose response has not come. */
  readonly sent: NoteContent | undefined
  /** The result of a clash that an earlier page has left. */
  readonly edited: EditedResult | undefined
  /** The note as the server has it. */
  readonly note: Note
}

/** Whether a result cannot have the words of both: there is one title, and a note has a largest size. */
export const needsDecision = (clash: NoteClash): boolean =>
  !isTitleClear(clash) || bytesOf(clash.result.body) > mostTextBytes

/** How a text continues, and from which version of its note. */
interface Continuation {
  readonly note: Note
  readonly content: NoteContent
}

export const contentOf = ({ body, title }: Note): NoteContent => ({ title, body })

/** Whether the server has processed a text that was sent under the version of `known`, and whose response was lost. */
const isProcessed = (known: Note, sent: NoteContent, note: Note): boolean => {
  const theirs = contentOf(note)
  return sameContent(mergeContent({ base: contentOf(known), theirs, mine: sent }).merged, theirs)
}

/** What both texts have in common: the text that was sent, if the server has processed it. */
const baseOf = ({ known, note, sent }: Meeting): NoteContent =>
  sent !== undefined && isProcessed(known, sent, note) ? sent : contentOf(known)

/** Merges a text with the note as the server has it. Returns a clash where both sides have changed the same words. */
export const meet = (meeting: Meeting): NoteClash | Continuation => {
  const { edited, mine, note } = meeting
  // The earlier page had stored the result.
  if (edited !== undefined && hasWordsOf(edited.result, mine) && isProcessed(edited.note, edited.result, note))
    return { note, content: contentOf(note) }
  const [base, theirs] = [baseOf(meeting), contentOf(note)]
  const { isClear, merged } = mergeContent({ base, theirs, mine })
  if (!isClear) return { base, theirs, mine, note, result: edited === undefined ? merged : withChanges(edited, note) }
  if (edited === undefined) return { note, content: merged }
  // The earlier page had stored mine, and was closed before the result.
  if (sameContent(merged, theirs))
    return { note, content: mergeContent({ base: mine, theirs, mine: edited.result }).merged }
  return { note: edited.note, content: edited.result }
}

/** A result with what others have written since. */
const withChanges = ({ note, result }: EditedResult, newer: Note): NoteContent =>
  mergeContent({ base: contentOf(note), theirs: contentOf(newer), mine: result }).merged

/** A result with what was typed on the screen, such as the link of a file whose upload ends during the clash. */
export const withTyped = (result: NoteContent, before: NoteContent, after: NoteContent): NoteContent =>
  mergeContent({ base: before, theirs: result, mine: after }).merged

/** A clash after others have changed the note again. `isClear` says that the result has their changes. */
export const withTheirs = (clash: NoteClash, note: Note): { readonly clash: NoteClash; readonly isClear: boolean } => {
  const theirs = contentOf(note)
  const { isClear, merged } = mergeContent({ base: contentOf(clash.note), theirs, mine: clash.result })
  return { clash: { ...clash, note, theirs, result: merged }, isClear }
}

/**
 * Stores the result of a clash. If it lacks words of mine, mine is stored first, as a version of its own: the history then
 * has both texts. Otherwise it is not, because for that moment the note would lack what others have written. Returns the
 * text that was sent, and the note as the server then has it, with another text if others have changed it again.
 */
export const storeDecision = async (
  client: SheafClient,
  { mine, note: known, result }: NoteClash
): Promise<{ readonly note: Note; readonly sent: NoteContent; readonly isStored: boolean }> => {
  const sent = hasWordsOf(result, mine) ? result : mine
  const { id, version } = known
  try {
    return { note: await client.updateNote({ id, version, ...sent }), sent, isStored: true }
  } catch (error) {
    if (!isProblem(error, "precondition_failed")) throw error
    const note = await client.getNote({ id })
    return { note, sent, isStored: isProcessed(known, sent, note) }
  }
}

/** The result of a clash with what others have written since a text of it was stored. */
export const afterDecision = (result: NoteContent, sent: NoteContent, note: Note): NoteContent =>
  mergeContent({ base: sent, theirs: contentOf(note), mine: result }).merged
