import { mergeTexts } from "../../sync/Merge.ts"

/** What a person writes in a note. */
export interface NoteContent {
  readonly title: string
  readonly body: string
}

export const sameContent = (one: NoteContent, other: NoteContent): boolean =>
  one.title === other.title && one.body === other.body

/** Two texts that were made from one, and their merge. */
export interface Clash {
  readonly base: NoteContent
  readonly theirs: NoteContent
  readonly mine: NoteContent
  /** Contains the words of both: first theirs and then mine where both have changed the same words. */
  readonly merged: NoteContent
}

/** The title that one side has changed; theirs if both have, and their titles differ. */
const mergedTitle = ({ base, mine, theirs }: Omit<Clash, "merged">): string =>
  theirs.title === base.title ? mine.title : theirs.title

/**
 * Merges what both sides have changed since `base`. `isClear` says that they have changed different words: then the
 * result does not depend on the order of the two.
 */
export const mergeContent = (
  sides: Omit<Clash, "merged">
): { readonly merged: NoteContent; readonly isClear: boolean } => {
  const { base, mine, theirs } = sides
  const body = mergeTexts(base.body, theirs.body, mine.body)
  const isTitleClear = base.title === theirs.title || [base.title, theirs.title].includes(mine.title)
  return {
    merged: { title: mergedTitle(sides), body },
    isClear: isTitleClear && body === mergeTexts(base.body, mine.body, theirs.body)
  }
}
