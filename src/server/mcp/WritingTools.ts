import { Data, Effect, Option, Result, Schema, SchemaTransformation } from "effect"
import { Invalid, Stale } from "../../../services/Errors.ts"
import { maxBody, maxTitle, type Note, type NoteChange } from "../../../services/notes/Note.ts"
import { Notes } from "../../../services/notes/Notes.ts"
import { atMost, bytes, notEmpty, singleLine } from "../../../services/Text.ts"
import * as McpTool from "./McpTool.ts"
import * as NoteEdit from "../../../services/notes/texts/NoteEdit.ts"
import { linesIn, type NoteOutline } from "../../../services/notes/texts/NoteOutline.ts"
import { outlineFrom, sectionAround } from "./responses/NotePassages.ts"
import { NoteTexts } from "../../../services/notes/texts/NoteTexts.ts"
import { matches } from "../../../services/notes/texts/TextSearch.ts"
import * as TrashedNotes from "./TrashedNotes.ts"
import { changed, count, filled, note_id, notebook_id, tag, versionRead, write } from "./ToolFields.ts"

/** Maximum bytes of a text in a call; a note can grow further by more calls. */
const maxText = 200_000
/** Maximum bytes of a text to be replaced, and number of replacements in a call. */
const maxOld = 10_000
const maxReplacements = 20

/** Programs write a byte order mark before a text, where it is no part of it. */
const unmarked = (text: Schema.Codec<string>): Schema.Codec<string> =>
  text.pipe(
    Schema.decodeTo(
      Schema.String,
      SchemaTransformation.transform({ decode: (text) => text.replace(/^\uFEFF/, ""), encode: (text) => text })
    )
  )
const text = (description: string) => unmarked(bytes(maxText).annotate({ description }))
const addedText = (description: string) => text(description).check(filled)
const title = singleLine(maxTitle, { description: "One line." })

const createArgs = Schema.Struct({
  notebook_id,
  title,
  text: Schema.optionalKey(text("Markdown.")),
  tags: Schema.optionalKey(Schema.Array(tag).check(atMost(50)).annotate({ description: "At most 50." })),
  mutation_id: McpTool.mutation_id
})

const oldText = unmarked(bytes(maxOld).annotate({ description: "Must occur exactly once, with white space." })).check(
  filled
)

const editArgs = Schema.Struct({
  note_id,
  version: versionRead,
  replacements: Schema.optionalKey(
    Schema.Array(Schema.Struct({ old_text: oldText, new_text: text("Empty to remove `old_text`.") }))
      .check(notEmpty(), atMost(maxReplacements))
      .annotate({ description: "Applied one after the other." })
  ),
  under_heading: Schema.optionalKey(
    Schema.Struct({
      heading: bytes(1_000).annotate({ description: "Such as `Tasks` or `## Tasks`." }),
      text: addedText("Markdown."),
      position: Schema.optionalKey(Schema.Literals(["start", "end"]).annotate({ description: "`end` by default." }))
    }).annotate({ description: "Adds a text to a section." })
  ),
  prepend: Schema.optionalKey(addedText("A text for the start, after front matter.")),
  append: Schema.optionalKey(addedText("A text for the end, as a block of its own.")),
  properties: Schema.optionalKey(
    Schema.Struct({
      title: Schema.optionalKey(title),
      pinned: Schema.optionalKey(Schema.Boolean.annotate({ description: "On top of lists." })),
      archived: Schema.optionalKey(Schema.Boolean.annotate({ description: "Hidden from lists and searches." }))
    }).annotate({ description: "At least one of them." })
  ),
  mutation_id: McpTool.mutation_id
})
type EditArgs = typeof editArgs.Type

const noChange = new Invalid({
  code: "validation_failed",
  detail: "Send at least one of replacements, under_heading, prepend, append and properties"
})

const noProperty = Invalid.field("properties", "required", "must name at least one")

/** Maximum number of characters that all replacements of a call search. */
const maxSearched = 4_000_000

const tooManyReplacements = Invalid.field(
  "replacements",
  "too_many",
  "are too many for a note of this length: send fewer at a time"
)

/** The problem for a note that would be too large; it names the longest text of the edit. */
const tooLong = ({ append = "", prepend = "", replacements = [], under_heading }: NoteEdit.NoteEdit): Invalid => {
  const texts = {
    append,
    prepend,
    "under_heading.text": under_heading?.text ?? "",
    replacements: replacements.map(({ new_text }) => new_text).join("")
  }
  const [field] = Object.entries(texts).reduce((one, other) => (other[1].length > one[1].length ? other : one))
  return Invalid.field(field, "too_long", `would make the note larger than ${maxBody} bytes`)
}

/** Cost of the parts of a note in a problem. */
const outlineRoom = 6_000
const sectionRoom = 12_000

/** The note has another version than the one that was read. */
class Outdated extends Data.TaggedError("Outdated")<{ readonly current: Note }> {}

/** The place in the current text of a line of the version that was read: the same heading, else the same line. */
const placeOf = (line: number, read: NoteOutline, current: NoteOutline): number => {
  const own = read.headings.findLast((each) => each.line <= line)
  const heading = current.headings.find(({ level, text }) => level === own?.level && text === own.text)
  return heading?.line ?? Math.min(line, Math.max(1, current.lines))
}

/** The line of the current text that an edit of an earlier version is about; undefined if the text has no such line. */
const lineOf = (outline: NoteOutline, edit: NoteEdit.NoteEdit, earlier: NoteOutline): number | undefined => {
  const [first] = edit.replacements ?? []
  if (first !== undefined) {
    const [found] = matches(outline.text, first.old_text, 1)
    if (found !== undefined) return outline.lineAt(found)
    const [before] = matches(earlier.text, first.old_text, 1)
    if (before !== undefined) return placeOf(earlier.lineAt(before), earlier, outline)
  }
  if (edit.under_heading !== undefined) return outline.named(edit.under_heading.heading)[0]?.line
  if (edit.append !== undefined) return Math.max(1, outline.lines)
  return edit.prepend === undefined ? undefined : outline.contentLine
}

/** The refusal of a stale edit, with what the caller needs to repeat it: the current version, the outline, the section. */
const stale = (version: number, edit: NoteEdit.NoteEdit, outline: NoteOutline, earlier: NoteOutline): Stale => {
  const line = lineOf(outline, edit, earlier)
  return new Stale({
    code: "precondition_failed",
    detail: `Nothing was changed: the note has version ${version} now. Check its section, and repeat the edit with this version`,
    extra: {
      current_version: version,
      ...outlineFrom(outline, 1, outlineRoom),
      ...(line === undefined ? {} : { section: sectionAround(outline, line, sectionRoom) })
    }
  })
}

const faultOf = ({ field, lines, message, text }: NoteEdit.EditFault): Invalid =>
  new Invalid({
    code: "validation_failed",
    detail: `Nothing was changed: ${field} ${message}`,
    errors: [
      { field, pointer: `/${field.replaceAll(".", "/")}`, code: lines.length > 1 ? "too_many" : "unknown", message }
    ],
    extra: { found_in_lines: lines, ...(text === undefined ? {} : { text }) }
  })

const isTooMuch = ({ body }: Note, { replacements = [] }: NoteEdit.NoteEdit): boolean =>
  replacements.length * body.length > maxSearched

/** The text after an edit, made before the write: no other write of the workspace waits for it. */
interface Prepared {
  readonly of: string
  readonly made: ReturnType<typeof NoteEdit.apply>
}

/** The change of a note that an edit makes. */
const changeOf = (
  current: Note,
  { properties, version, ...edit }: EditArgs,
  prepared: Prepared | undefined
): Result.Result<NoteChange, Invalid | Outdated> => {
  if (current.version !== version) return Result.fail(new Outdated({ current }))
  if (isTooMuch(current, edit)) return Result.fail(tooManyReplacements)
  const body = prepared?.of === current.body ? prepared.made : NoteEdit.apply(current.body, edit)
  if (Result.isFailure(body)) return Result.fail(faultOf(body.failure))
  if (Buffer.byteLength(body.success) > maxBody) return Result.fail(tooLong(edit))
  return Result.succeed({ ...properties, body: body.success })
}

/** The problem for a call, or a part of it, that would change nothing. */
const faultOfEmpty = ({ append, prepend, properties, replacements, under_heading }: EditArgs): Invalid | undefined => {
  if ([append, prepend, properties, replacements, under_heading].every((part) => part === undefined)) return noChange
  if (properties !== undefined && Object.keys(properties).length === 0) return noProperty
  const same = replacements?.findIndex(({ new_text, old_text }) => new_text === old_text) ?? -1
  return same < 0 ? undefined : Invalid.field(`replacements.${same}.new_text`, "invalid", "must differ from old_text")
}

export const WritingTools = Effect.gen(function* () {
  const notes = yield* Notes
  const texts = yield* NoteTexts
  const inTrash = yield* TrashedNotes.make

  const createNote = ({ mutation_id: _, text, ...input }: typeof createArgs.Type) =>
    Effect.map(notes.create({ ...input, ...(text === undefined ? {} : { body: text }) }), ({ id, version }) => ({
      id,
      version
    }))

  /** Fails with the current state. The version that was read may not exist any more. */
  const refused = Effect.fnUntraced(function* (args: EditArgs, { body, version }: Note) {
    const read = yield* Effect.option(notes.version(args.note_id, String(args.version)))
    const earlier = Option.match(read, { onNone: () => "", onSome: (found) => found.body })
    return yield* stale(version, args, yield* texts.outline(body), yield* texts.outline(earlier))
  })

  /** Undefined if the call is refused or was made before. */
  const prepared = Effect.fnUntraced(function* (args: EditArgs) {
    const current = JSON.parse((yield* notes.get(args.note_id)).json) as Note
    if (current.version !== args.version || isTooMuch(current, args)) return undefined
    return { of: current.body, made: yield* texts.edit(current.body, args) }
  })

  const editNote = Effect.fnUntraced(function* (args: EditArgs) {
    const fault = faultOfEmpty(args)
    if (fault !== undefined) return yield* fault
    // A call that was made before gets its result, also if the note is gone.
    const made = yield* Effect.catchTag(prepared(args), "NotFound", () => Effect.undefined)
    const { body, id, version } = yield* notes
      .edit(args.note_id, (current) => Effect.fromResult(changeOf(current, args, made)))
      .pipe(Effect.catchTag("Outdated", ({ current }) => refused(args, current)))
    return { id, version, lines: linesIn(body) }
  })

  return [
    McpTool.writing({
      name: "create_note",
      title: "Create a note",
      description: "Creates a note in a notebook of list_notebooks. Tags that do not exist are created.",
      access: write,
      args: createArgs,
      result: Schema.Struct(changed),
      run: createNote
    }),
    McpTool.removing({
      name: "edit_note",
      title: "Edit a note",
      description:
        "Changes parts of a note and keeps the rest; all of the call is applied, or nothing. If the note has changed since you read `version`, the problem has the current version and section: repeat the edit with them. The text before stays in note_history.",
      access: write,
      args: editArgs,
      result: Schema.Struct({ ...changed, lines: count }),
      run: (args: EditArgs) => inTrash(args.note_id, editNote(args))
    })
  ]
})
