import { Stale } from "../../Errors.ts"
import { maxShown } from "./EditFault.ts"
import type { NoteEdit } from "./NoteEdit.ts"
import type { NoteOutline } from "./NoteOutline.ts"
import { isHighSurrogate } from "./ShownText.ts"
import { matches } from "./TextSearch.ts"

/** What a caller needs to repeat an edit of an earlier version. */

/** The place in the current text of a line of the version that was read: the same heading, else the same line. */
const placeOf = (line: number, read: NoteOutline, current: NoteOutline): number => {
  const own = read.headings.findLast((each) => each.line <= line)
  const heading = current.headings.find(({ level, text }) => level === own?.level && text === own.text)
  return heading?.line ?? Math.min(line, Math.max(1, current.lines))
}

/** The text of the earlier version that an edit changes first. */
const changedText = ({ replacements, tasks }: NoteEdit, earlier: NoteOutline): string | undefined => {
  const [task] = tasks ?? []
  if (task === undefined) return replacements?.[0]?.old_text
  const line = task.line <= earlier.lines ? earlier.line(task.line) : ""
  // Its box may have changed.
  return task.text ?? line.slice(line.indexOf("]") + 1).trim()
}

/** The line of the current text that an edit of an earlier version is about; undefined if the text has no such line. */
export const lineOf = (outline: NoteOutline, edit: NoteEdit, earlier: NoteOutline): number | undefined => {
  const wanted = changedText(edit, earlier) ?? ""
  if (wanted !== "") {
    const [found] = matches(outline.text, wanted, 1)
    if (found !== undefined) return outline.lineAt(found)
    const [before] = matches(earlier.text, wanted, 1)
    if (before !== undefined) return placeOf(earlier.lineAt(before), earlier, outline)
  }
  if (edit.under_heading !== undefined) return outline.named(edit.under_heading.heading)[0]?.line
  if (edit.append !== undefined) return Math.max(1, outline.lines)
  if (edit.prepend !== undefined) return outline.contentLine
  return edit.properties === undefined ? undefined : 1
}

/** Characters before the line of an edit that are shown of a long section. */
const shownBefore = maxShown / 4

/** The section around a line, or the part of it around the line that fits into a refusal. */
const sectionAt = (outline: NoteOutline, line: number) => {
  const { from, to } = outline.sectionAt(line)
  const isWhole = outline.offset(to) - outline.offset(from) <= maxShown
  const first = isWhole ? from : Math.max(from, outline.lineAt(Math.max(0, outline.offset(line) - shownBefore)))
  const start = outline.offset(first)
  const end = Math.min(outline.offset(to), start + maxShown)
  const cut = isHighSurrogate(outline.text.charCodeAt(end - 1)) ? end - 1 : end
  return {
    from_line: first,
    to_line: cut === start ? first : outline.lineAt(cut - 1),
    text: outline.text.slice(start, cut)
  }
}

/** The refusal of a stale edit, with the section that it is about as it is now. */
export const refusalOf = ({ code, detail, extra }: Stale, outline: NoteOutline, line: number | undefined): Stale =>
  new Stale({
    code,
    detail: `Nothing was changed. ${detail}`,
    extra: { ...extra, ...(line === undefined || outline.lines === 0 ? {} : { section: sectionAt(outline, line) }) }
  })
