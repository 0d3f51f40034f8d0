import { Effect, Schema } from "effect"
import { type Invalid, Stale } from "../../../services/Errors.ts"
import { maxTitle } from "../../../services/notes/Note.ts"
import { Notes } from "../../../services/notes/Notes.ts"
import { emptyPart, noPart, propertyEdits, text, textEdits } from "../../../services/notes/texts/EditRequest.ts"
import type { NoteEdit } from "../../../services/notes/texts/NoteEdit.ts"
import { linesIn } from "../../../services/notes/texts/NoteOutline.ts"
import { TagName } from "../../../services/notes/tags/Tag.ts"
import { type Outdated, TextEdits } from "../../../services/notes/texts/TextEdits.ts"
import { atMost, singleLine } from "../../../services/Text.ts"
import * as McpTool from "./McpTool.ts"
import { outlineFrom, sectionAround } from "./responses/NotePassages.ts"
import * as TrashedNotes from "./TrashedNotes.ts"
import { changed, count, note_id, notebook_id, versionRead, write } from "./ToolFields.ts"

const title = singleLine(maxTitle, { description: "One line." })

const createArgs = Schema.Struct({
  notebook_id,
  title,
  text: Schema.optionalKey(text("Markdown.")),
  tags: Schema.optionalKey(Schema.Array(TagName).check(atMost(50)).annotate({ description: "At most 50." })),
  mutation_id: McpTool.mutation_id
})

const editArgs = Schema.Struct({
  note_id,
  version: versionRead,
  ...textEdits,
  properties: Schema.optionalKey(
    Schema.Struct({
      title: Schema.optionalKey(title),
      pinned: Schema.optionalKey(Schema.Boolean.annotate({ description: "On top of lists." })),
      archived: Schema.optionalKey(Schema.Boolean.annotate({ description: "Hidden from lists and searches." })),
      set: propertyEdits.set,
      remove: propertyEdits.remove
    }).annotate({ description: "At least one; `set` and `remove`: front matter." })
  ),
  mutation_id: McpTool.mutation_id
})
type EditArgs = typeof editArgs.Type

/** Cost of the parts of a note in a problem. */
const outlineRoom = 6_000
const sectionRoom = 12_000

/** The refusal of a stale edit, with what the caller needs to repeat it: the current version, the outline, the section. */
const stale = ({ line, outline, version }: Outdated): Stale =>
  new Stale({
    code: "precondition_failed",
    detail: `Nothing was changed: the note has version ${version} now. Check its section, and repeat the edit with this version`,
    extra: {
      current_version: version,
      ...outlineFrom(outline, 1, outlineRoom),
      ...(line === undefined ? {} : { section: sectionAround(outline, line, sectionRoom) })
    }
  })

/** The parts of the text that a call changes, and the other members of the note. */
const partsOf = ({ mutation_id: _, note_id: __, properties = {}, version: ___, ...texts }: EditArgs) => {
  const { remove, set, ...others } = properties
  const front = { ...(set === undefined ? {} : { set }), ...(remove === undefined ? {} : { remove }) }
  return { edit: Object.keys(front).length === 0 ? texts : { ...texts, properties: front }, others }
}

/** The problem for a call, or a part of it, that would change nothing. */
const faultOfEmpty = (edit: NoteEdit, others: object, properties: object | undefined): Invalid | undefined => {
  if (Object.keys(others).length > 0) return emptyPart(edit)
  if (properties !== undefined && edit.properties === undefined) return emptyPart({ properties: {} })
  return Object.keys(edit).length === 0 ? noPart : emptyPart(edit)
}

export const WritingTools = Effect.gen(function* () {
  const notes = yield* Notes
  const texts = yield* TextEdits
  const inTrash = yield* TrashedNotes.make

  const createNote = ({ mutation_id: _, text, ...input }: typeof createArgs.Type) =>
    Effect.map(notes.create({ ...input, ...(text === undefined ? {} : { body: text }) }), ({ id, version }) => ({
      id,
      version
    }))

  const editNote = Effect.fnUntraced(function* (args: EditArgs) {
    const { edit, others } = partsOf(args)
    const fault = faultOfEmpty(edit, others, args.properties)
    if (fault !== undefined) return yield* fault
    const { version: read } = args
    const condition = ({ version }: { readonly version: number }) =>
      version === read ? Effect.void : Effect.fail(Stale.at(version))
    const { body, id, version } = yield* texts
      .edit(args.note_id, edit, { condition, version: read }, others)
      .pipe(Effect.catchTag("Outdated", (outdated) => Effect.fail(stale(outdated))))
    return { id, version, lines: linesIn(body) }
  })

  return [
    McpTool.writing({
      name: "create_note",
      title: "Create a note",
      description: "Creates a note, and tags that do not exist.",
      access: write,
      args: createArgs,
      result: Schema.Struct(changed),
      run: createNote
    }),
    McpTool.removing({
      name: "edit_note",
      title: "Edit a note",
      description:
        "Changes parts of a note, all or nothing, and keeps the rest. If the note has changed since `version`, the problem has the current version and section: repeat the edit with them. The text before stays in note_history.",
      access: write,
      args: editArgs,
      result: Schema.Struct({ ...changed, lines: count }),
      run: (args: EditArgs) => inTrash(args.note_id, editNote(args))
    })
  ]
})
