import { Effect, Schema } from "effect"
import { Invalid } from "../../../services/Errors.ts"
import type { Note } from "../../../services/notes/Note.ts"
import { Notes } from "../../../services/notes/Notes.ts"
import { short } from "../../../services/Text.ts"
import * as McpTool from "./McpTool.ts"
import type { NoteOutline } from "../../../services/notes/texts/NoteOutline.ts"
import { headingOf, outlineFrom, partOf, type TextPart } from "./responses/NotePassages.ts"
import { NoteTexts } from "../../../services/notes/texts/NoteTexts.ts"
import { costOf, room } from "./responses/ResponseSize.ts"
import { line } from "../../../services/notes/texts/EditRequest.ts"
import { brief, count, from_character, from_line, next, note_id, read, shownBrief, version } from "./ToolFields.ts"
import * as TrashedNotes from "./TrashedNotes.ts"
import { unused } from "./UnusedArguments.ts"

const args = Schema.Struct({
  note_id,
  version: Schema.optionalKey(version.annotate({ description: "An earlier version." })),
  section: Schema.optionalKey(short(1_000).annotate({ description: "A heading such as `Tasks` or `## Tasks`." })),
  from_line,
  from_character,
  to_line: Schema.optionalKey(line.annotate({ description: "The last line." })),
  outline_from_line: Schema.optionalKey(line.annotate({ description: "Only the outline, from this line on." }))
})
type Args = typeof args.Type

/** Maximum length of a text that is returned without an outline being read first. */
const maxWhole = 6_000
/** Maximum cost of the outline, if text follows. */
const outlineRoom = 7_000
/** Bytes of the names and numbers of the other members. */
const names = 900

/** A note, or an earlier version of it. */
type Shown = Pick<Note, keyof typeof brief | "body">

const ranges = ["section", "from_line", "from_character", "to_line"] as const

const isRange = (args: Args): boolean => ranges.some((name) => args[name] !== undefined)

const nothing: TextPart = { from_line: 1, to_line: 1, text: "", next: { line: 1, character: 0 } }

/** The requested lines of a note, or the reason why there are none. */
const requested = (outline: NoteOutline, args: Args, available: number): TextPart | Invalid => {
  const heading = args.section === undefined ? undefined : headingOf(outline, args.section)
  if (heading instanceof Invalid) return heading
  const range = heading === undefined ? { from: 1, to: outline.lines + 1 } : outline.section(heading)
  const last = Math.max(range.from, range.to - 1)
  const from = args.from_line ?? range.from
  if (from < range.from || from > last) {
    return Invalid.field("from_line", "out_of_range", `must be from ${range.from} to ${last}`)
  }
  if (args.to_line !== undefined && args.to_line < from) {
    return Invalid.field("to_line", "out_of_range", `must be at least ${from}, the first line`)
  }
  const to = Math.min(range.to, (args.to_line ?? range.to) + 1)
  return partOf(outline, { line: from, character: args.from_character ?? 0 }, to, available)
}

/** Without a range: a short text as a whole; of a long one the lines before its second heading. */
const beginning = (outline: NoteOutline, available: number): TextPart => {
  const isShort = outline.text.length <= maxWhole
  const to = isShort ? undefined : outline.headings[1]?.line
  const part = partOf(outline, { line: 1, character: 0 }, to ?? outline.lines + 1, available)
  return part.next === null && to !== undefined ? { ...part, next: { line: to, character: 0 } } : part
}

const shown = (note: Shown, outline: NoteOutline, args: Args) => {
  const head = { ...shownBrief(note), lines: outline.lines }
  const available = room - names - costOf(head)
  if (args.outline_from_line !== undefined) {
    return { ...head, ...outlineFrom(outline, args.outline_from_line, available), ...nothing }
  }
  if (isRange(args)) {
    const part = requested(outline, args, available)
    return part instanceof Invalid ? part : { ...head, outline: [], outline_next_line: null, ...part }
  }
  const headings = outlineFrom(outline, 1, outlineRoom)
  return { ...head, ...headings, ...beginning(outline, available - costOf(headings)) }
}

export const ReadingTools = Effect.gen(function* () {
  const notes = yield* Notes
  const texts = yield* NoteTexts
  const inTrash = yield* TrashedNotes.make

  const current = (id: string) => Effect.map(notes.get(id), ({ json }): Shown => JSON.parse(json) as Note)

  const earlier = (id: string, version: number) =>
    Effect.map(notes.versionState(id, version), (found): Shown => ({
      ...found,
      id: found.note_id,
      updated_at: found.created_at
    }))

  const readNote = Effect.fnUntraced(function* (args: Args) {
    if (args.outline_from_line !== undefined) {
      const wrong = unused(args, ranges, "is for the text, without outline_from_line")
      if (wrong !== undefined) return yield* wrong
    }
    const note = yield* args.version === undefined ? current(args.note_id) : earlier(args.note_id, args.version)
    const made = shown(note, yield* texts.outline(note.body), args)
    return made instanceof Invalid ? yield* made : made
  })

  return [
    McpTool.reading({
      name: "read_note",
      title: "Read a note",
      description:
        "Reads a note: its version, outline and text; of a long note the text before the second heading: then read a `section`, or lines. If `next` is not null, continue with from_line and from_character.",
      access: read,
      args,
      result: Schema.Struct({
        ...brief,
        lines: count,
        outline: Schema.Array(Schema.Struct({ line: count, level: count, text: Schema.String })),
        outline_next_line: Schema.NullOr(count),
        from_line: count,
        to_line: count,
        text: Schema.String,
        next
      }),
      run: (args: Args) => inTrash(args.note_id, readNote(args))
    })
  ]
})
