import { Result } from "effect"
import { type EditFault, maxListed, maxShown, shownLines } from "./EditFault.ts"
import { type PropertyEdit, withProperties } from "./FrontMatterEdit.ts"
import { lineBreakOf, withLineBreaks } from "./LineBreaks.ts"
import { lookAlike } from "./LookAlikes.ts"
import { continues, headingOf, isBlank } from "./NoteLines.ts"
import { contentStart, NoteOutline } from "./NoteOutline.ts"
import { type TaskEdit, tick } from "./TaskEdit.ts"
import { matches } from "./TextSearch.ts"

/** A change of a note's text that keeps all text which it does not name. */
export interface NoteEdit {
  /** Tasks by their lines in the text before the edit. */
  readonly tasks?: ReadonlyArray<TaskEdit>
  /** Applied one after the other. Each `old_text` must occur exactly once. */
  readonly replacements?: ReadonlyArray<{ readonly old_text: string; readonly new_text: string }>
  /** Text for the start or the end of the section of the only heading with this text or path. */
  readonly under_heading?: {
    readonly heading: string
    readonly text: string
    readonly position?: "start" | "end"
  }
  /** Text before the first line after the front matter. */
  readonly prepend?: string
  /** Text after the last line. */
  readonly append?: string
  /** Properties of the front matter. */
  readonly properties?: PropertyEdit
}

/** The line breaks between two texts, so that each of them is a block of its own, or a further item of a list. */
const between = (above: string, below: string, lineBreak: string): string => {
  if (above === "" || below === "") return ""
  const end = above.endsWith("\n") ? "" : lineBreak
  const lastLine = above.slice(above.lastIndexOf("\n", above.length - 2) + 1)
  const [firstLine = ""] = below.split("\n", 1)
  const isApart = isBlank(lastLine) || isBlank(firstLine) || headingOf(lastLine.replace("\n", "")) !== undefined
  return isApart || continues(above, below) ? end : end + lineBreak
}

/** A text whose code is closed. Code that may be in a list ends with the list. */
const closed = (text: string, lineBreak: string): string => {
  const { open } = new NoteOutline(text)
  if (open === undefined || open.isInItem || open.isIndented) return text
  return text + (text.endsWith("\n") ? "" : lineBreak) + open.marks + lineBreak
}

/**
 * Inserts a text as a block of its own: what is above and below stays what it is. Existing characters are kept. `from` is
 * the end of the front matter or heading above, which no text continues.
 */
const insertBlock = (body: string, from: number, at: number, added: string): string => {
  const lineBreak = lineBreakOf(body)
  const head = body.slice(0, from)
  const above = closed(body.slice(from, at), lineBreak)
  const below = body.slice(at)
  const text = below === "" ? added : closed(added, lineBreak)
  const begin = above === "" && /[^\n\uFEFF]$/.test(head) ? lineBreak : ""
  return head + above + begin + between(above, text, lineBreak) + text + between(text, below, lineBreak) + below
}

/** The fault of a text that does not occur. If a place looks like it, the fault names what differs, and has its lines. */
const unfound = (body: string, old_text: string, field: string): EditFault => {
  const found = lookAlike(body, old_text)
  if (found === undefined) {
    return { field, message: "does not occur in the note: copy it exactly from the note", lines: [] }
  }
  const { differences, from, text, to, unseen } = found
  const place = from === to ? `line ${from} looks` : `lines ${from} to ${to} look`
  const note = unseen.length === 0 ? "" : ` The note has ${unseen.join(", ")}.`
  return {
    field,
    message: `does not occur in the note, but ${place} like it. Different are ${differences.join(" and ")}.${note} Send the same characters, or a part without the difference`,
    lines: [from],
    ...(text.length <= maxShown ? { text } : {})
  }
}

/** Lines of a text as members of a fault. */
const placesOf = (outline: NoteOutline, lines: ReadonlyArray<number>): Pick<EditFault, "lines" | "text"> => ({
  lines,
  ...shownLines([...new Set(lines)].map((line) => outline.line(line).replace(/\r$/, "")))
})

const replaceOnce = (
  body: string,
  old_text: string,
  new_text: string,
  field: string
): Result.Result<string, EditFault> => {
  const found = matches(body, old_text, maxListed)
  if (found.length === 1)
    return Result.succeed(body.slice(0, found[0]) + new_text + body.slice(found[0]! + old_text.length))
  if (found.length === 0) return Result.fail(unfound(body, old_text, field))
  const outline = new NoteOutline(body)
  return Result.fail({
    field,
    message: "occurs more than once: include text around it, so that it occurs once",
    ...placesOf(
      outline,
      found.map((offset) => outline.lineAt(offset))
    )
  })
}

const insertUnder = (
  body: string,
  { heading, position = "end", text }: NonNullable<NoteEdit["under_heading"]>
): Result.Result<string, EditFault> => {
  const outline = new NoteOutline(body)
  const found = outline.named(heading)
  if (found.length !== 1) {
    const places = (found.length === 0 ? outline.headings : found.slice(0, maxListed)).map(({ line }) => line)
    const { lines, text: headings } = placesOf(outline, places)
    return Result.fail({
      field: "under_heading.heading",
      message:
        found.length === 0
          ? "is no heading of the note"
          : "is the text of more than one heading: send its path, such as `Trips / Vienna`, or use a replacement",
      lines: found.length === 0 ? [] : lines,
      ...(headings === undefined ? {} : { text: headings })
    })
  }
  const { last: headingEnd } = found[0]!
  const { to } = outline.section(found[0]!)
  const start = outline.offset(headingEnd + 1)
  if (position === "start") return Result.succeed(insertBlock(body, start, start, text))
  // Empty lines before the next heading stay there.
  let last = to - 1
  while (last > headingEnd && isBlank(outline.line(last))) last--
  return Result.succeed(insertBlock(body, start, outline.offset(last + 1), text))
}

/** The edit for a text whose lines end in `\r\n`, of which clients only see `\n`. */
const brokenEdit = ({ append, prepend, replacements, under_heading, ...others }: NoteEdit): NoteEdit => {
  const broken = (text: string): string => withLineBreaks(text, "\r\n")
  return {
    ...others,
    ...(append === undefined ? {} : { append: broken(append) }),
    ...(prepend === undefined ? {} : { prepend: broken(prepend) }),
    ...(under_heading === undefined ? {} : { under_heading: { ...under_heading, text: broken(under_heading.text) } }),
    replacements: (replacements ?? []).map(({ new_text, old_text }) => ({
      new_text: broken(new_text),
      old_text: broken(old_text)
    }))
  }
}

const refusedProperties: EditFault = {
  field: "properties",
  message: "cannot change this front matter: use a replacement",
  lines: [1]
}

/** The steps of an edit in their order. Tasks are first: the others move lines. */
const stepsOf = ({
  append,
  prepend,
  properties,
  replacements = [],
  tasks,
  under_heading
}: NoteEdit): ReadonlyArray<(text: string) => Result.Result<string, EditFault>> => [
  ...(tasks === undefined ? [] : [(text: string) => tick(text, tasks)]),
  ...replacements.map(
    ({ new_text, old_text }, index) =>
      (text: string) =>
        replaceOnce(text, old_text, new_text, `replacements.${index}.old_text`)
  ),
  ...(under_heading === undefined ? [] : [(text: string) => insertUnder(text, under_heading)]),
  (text) => {
    const start = contentStart(text)
    return Result.succeed(prepend === undefined ? text : insertBlock(text, start, start, prepend))
  },
  (text) => Result.succeed(append === undefined ? text : insertBlock(text, contentStart(text), text.length, append)),
  ...(properties === undefined
    ? []
    : [(text: string) => Result.fromNullishOr(withProperties(text, properties), () => refusedProperties)])
]

/** Returns the text after the edit: tasks, replacements, `under_heading`, `prepend`, `append`, then properties. */
export const apply = (body: string, given: NoteEdit): Result.Result<string, EditFault> => {
  const edit = lineBreakOf(body) === "\n" ? given : brokenEdit(given)
  return stepsOf(edit).reduce(
    (made: Result.Result<string, EditFault>, step) => Result.flatMap(made, step),
    Result.succeed(body)
  )
}
