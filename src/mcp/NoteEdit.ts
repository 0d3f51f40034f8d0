import { Result } from "effect"
import { NoteOutline } from "./NoteOutline.ts"
import { matches } from "./TextSearch.ts"

/** A change of a note's text that keeps all text which it does not name. */
export interface NoteEdit {
  /** Applied one after the other. Each `old_text` must occur exactly once. */
  readonly replacements?: ReadonlyArray<{ readonly old_text: string; readonly new_text: string }>
  /** Text for the start or the end of the section of the only heading with this text. */
  readonly under_heading?: {
    readonly heading: string
    readonly text: string
    readonly position?: "start" | "end"
  }
  /** Text before the first line after the front matter. */
  readonly prepend?: string
  /** Text after the last line. */
  readonly append?: string
}

/** Why an edit cannot be applied. `lines`: the first places at which a text or heading was found. */
export interface EditFault {
  readonly field: string
  readonly message: string
  readonly lines: ReadonlyArray<number>
}

/** Maximum number of matches that a fault lists. */
const mostListed = 5

/** The line break of a text: `\r\n` if all its lines end so. */
const lineBreakOf = (text: string): string => (text.includes("\n") && !/(?<!\r)\n/.test(text) ? "\r\n" : "\n")

/** Inserts a text as lines of its own. Existing characters are kept; line breaks are added where two lines would join. */
const insertLines = (body: string, at: number, text: string): string => {
  const lineBreak = lineBreakOf(body)
  const before = at === 0 || body[at - 1] === "\n" ? "" : lineBreak
  const after = at === body.length || text.endsWith("\n") ? "" : lineBreak
  return body.slice(0, at) + before + text + after + body.slice(at)
}

const replaceOnce = (
  body: string,
  old_text: string,
  new_text: string,
  field: string
): Result.Result<string, EditFault> => {
  const found = matches(body, old_text, mostListed)
  if (found.length === 1)
    return Result.succeed(body.slice(0, found[0]) + new_text + body.slice(found[0]! + old_text.length))
  const outline = new NoteOutline(body)
  return Result.fail({
    field,
    message:
      found.length === 0
        ? "does not occur in the note: copy it exactly from read_note"
        : "occurs more than once: include text around it, so that it occurs once",
    lines: found.map((offset) => outline.lineAt(offset))
  })
}

const insertUnder = (
  body: string,
  { heading, position = "end", text }: NonNullable<NoteEdit["under_heading"]>
): Result.Result<string, EditFault> => {
  const outline = new NoteOutline(body)
  const found = outline.named(heading)
  if (found.length !== 1) {
    return Result.fail({
      field: "under_heading.heading",
      message:
        found.length === 0
          ? "is no heading of the note: the outline of read_note lists them"
          : "is the text of more than one heading: use a replacement",
      lines: found.slice(0, mostListed).map(({ line }) => line)
    })
  }
  const { from, to } = outline.section(found[0]!)
  if (position === "start") return Result.succeed(insertLines(body, outline.offset(from + 1), text))
  // Empty lines before the next heading stay there.
  let last = to - 1
  while (last > from && outline.line(last).trim() === "") last--
  return Result.succeed(insertLines(body, outline.offset(last + 1), text))
}

/** The edit for a text whose lines end in `\r\n`, of which clients only see `\n`. */
const withLineBreaks = ({ append, prepend, replacements, under_heading }: NoteEdit): NoteEdit => {
  const broken = (text: string): string => text.replaceAll(/\r?\n/g, "\r\n")
  return {
    ...(append === undefined ? {} : { append: broken(append) }),
    ...(prepend === undefined ? {} : { prepend: broken(prepend) }),
    ...(under_heading === undefined ? {} : { under_heading: { ...under_heading, text: broken(under_heading.text) } }),
    replacements: (replacements ?? []).map(({ new_text, old_text }) => ({
      new_text: broken(new_text),
      old_text: broken(old_text)
    }))
  }
}

/** Returns the text after the edit: replacements, then `under_heading`, `prepend` and `append`. */
export const apply = (body: string, given: NoteEdit): Result.Result<string, EditFault> => {
  const edit = lineBreakOf(body) === "\n" ? given : withLineBreaks(given)
  let text = body
  for (const [index, { new_text, old_text }] of (edit.replacements ?? []).entries()) {
    const replaced = replaceOnce(text, old_text, new_text, `replacements.${index}.old_text`)
    if (Result.isFailure(replaced)) return replaced
    text = replaced.success
  }
  if (edit.under_heading !== undefined) {
    const inserted = insertUnder(text, edit.under_heading)
    if (Result.isFailure(inserted)) return inserted
    text = inserted.success
  }
  if (edit.prepend !== undefined) {
    const outline = new NoteOutline(text)
    text = insertLines(text, outline.offset(outline.contentLine), edit.prepend)
  }
  if (edit.append !== undefined) text = insertLines(text, text.length, edit.append)
  return Result.succeed(text)
}
