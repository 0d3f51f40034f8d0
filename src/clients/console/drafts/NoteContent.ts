import { mergeTexts } from "../../../../services/records/Merge.ts"
import { differOnlyInTicks, tickedIn } from "./Ticks.ts"

/** The content that a user writes in a note. */
export interface NoteContent {
  readonly title: string
  readonly body: string
}

/** The content with its title on one line, as the server writes it. */
export const withOneLine = ({ body, title }: NoteContent): NoteContent => ({
  title: title.replaceAll(/\r\n|[\t\n\v\f\r\u0085\u2028\u2029]/g, " "),
  body
})

export const sameContent = (one: NoteContent, other: NoteContent): boolean =>
  one.title === other.title && one.body === other.body

const wordsOf = ({ body, title }: NoteContent): ReadonlyArray<string> => `${title} ${body}`.match(/\S+/g) ?? []

/** Whether a text has all words of another one, each as often. */
export const hasWordsOf = (content: NoteContent, other: NoteContent): boolean => {
  const counts = new Map<string, number>()
  for (const word of wordsOf(content)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return wordsOf(other).every((word) => {
    const count = counts.get(word) ?? 0
    counts.set(word, count - 1)
    return count > 0
  })
}

/** Two texts, and the text that both were made from. */
export interface Sides {
  readonly base: NoteContent
  readonly theirs: NoteContent
  readonly yours: NoteContent
}

/** Whether one side at most has changed the title, or both have changed it alike. */
export const isTitleClear = ({ base, theirs, yours }: Sides): boolean =>
  base.title === theirs.title || [base.title, theirs.title].includes(yours.title)

/** The title that one side has changed; yours if both have: the history has theirs. */
const mergedTitle = ({ base, theirs, yours }: Sides): string =>
  yours.title === base.title ? theirs.title : yours.title

/** Whether a text has all lines of another one, in their order: lines were only added. */
const onlyAddsLines = (base: string, text: string): boolean => {
  const lines = text.split("\n")
  let next = 0
  for (const line of base.split("\n")) {
    next = lines.indexOf(line, next) + 1
    if (next === 0) return false
  }
  return true
}

/**
 * Merges what both sides have changed since `base`. Where both have changed the same words, the merged text has first
 * their words and then yours. `isClear` says that a user need not look: they have changed different words, so that the result
 * does not depend on the order of the two, or both have only added lines, which all stay. Ticks of tasks are made in the
 * same lines of their text, wherever these are now. One whose line is not there is dropped, and no other line gets it.
 */
export const mergeContent = (sides: Sides): { readonly merged: NoteContent; readonly isClear: boolean } => {
  const { base, theirs, yours } = sides
  const title = mergedTitle(sides)
  if (base.body !== yours.body && differOnlyInTicks(base.body, yours.body)) {
    const { isWhole, text } = tickedIn(base.body, yours.body, theirs.body)
    return { merged: { title, body: text }, isClear: isWhole && isTitleClear(sides) }
  }
  const body = mergeTexts(base.body, theirs.body, yours.body)
  const bothAddLines = onlyAddsLines(base.body, yours.body) && onlyAddsLines(base.body, theirs.body)
  return {
    merged: { title, body },
    isClear: isTitleClear(sides) && (bothAddLines || body === mergeTexts(base.body, yours.body, theirs.body))
  }
}
