import { Invalid } from "../../../../services/Errors.ts"
import { type Heading, type NoteOutline, shownHeading } from "../../../../services/notes/texts/NoteOutline.ts"
import { costOf, countThatFits, endThatFits } from "./ResponseSize.ts"

/** Parts of a note's text as tools return them. */

/** Where a text continues. `character` counts from 0 within the line. */
export interface Place {
  readonly line: number
  readonly character: number
}

export interface TextPart {
  readonly from_line: number
  /** The last line, of which `text` may have only a part. */
  readonly to_line: number
  readonly text: string
  /** Where the requested lines continue; null at their end. */
  readonly next: Place | null
}

/** The text of lines from `start` to before the line `to`, as much as `available` bytes of a response can contain. */
export const partOf = (outline: NoteOutline, start: Place, to: number, available: number): TextPart => {
  const asked = Math.min(outline.offset(start.line) + start.character, outline.offset(start.line + 1))
  // Not in the middle of a character.
  const from = /[\uDC00-\uDFFF]/.test(outline.text[asked] ?? "") ? asked - 1 : asked
  const limit = Math.max(from, outline.offset(to))
  const end = endThatFits(outline.text, from, limit, available)
  const text = outline.text.slice(from, end)
  const line = outline.lineAt(end)
  return {
    from_line: start.line,
    to_line: end === from ? start.line : outline.lineAt(end - 1),
    text,
    next: end === limit ? null : { line, character: end - outline.offset(line) }
  }
}

interface OutlinePart {
  readonly outline: ReadonlyArray<Omit<Heading, "last">>
  /** The line from which the outline continues; null at its end. */
  readonly outline_next_line: number | null
}

/** The headings from a line on, as many as `available` bytes of a response can contain. */
export const outlineFrom = (outline: NoteOutline, line: number, available: number): OutlinePart => {
  const headings = outline.headings
    .filter((heading) => heading.line >= line)
    .map(({ level, line, text }) => ({ line, level, text: shownHeading(text) }))
  const count = countThatFits(headings, available)
  return { outline: headings.slice(0, count), outline_next_line: headings[count]?.line ?? null }
}

/** The only heading that a name or a line number denotes. */
export const headingOf = (outline: NoteOutline, section: string): Heading | Invalid => {
  const found = outline.named(section)
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  if (found.length === 0) {
    return Invalid.field("section", "unknown", "is no heading of the note: the outline of read_note lists them")
  }
  const refused = Invalid.field("section", "unknown", "is the text of more than one heading: use from_line")
  return new Invalid({ ...refused, extra: { lines: found.slice(0, 20).map(({ line }) => line) } })
}

/** The section of a note around a line, for a caller whose version is stale. */
export const sectionAround = (outline: NoteOutline, line: number, available: number) => {
  const range = outline.sectionAt(line)
  const base = costOf({ from_line: 0, to_line: 0, text: "", next: { line: 0, character: 0 } })
  return partOf(outline, { line: range.from, character: 0 }, range.to, available - base)
}
