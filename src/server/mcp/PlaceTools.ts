import { Effect, Schema } from "effect"
import { Invalid, type SheafError, Stale } from "../../../services/Errors.ts"
import type { NoteCondition, RestoreCondition } from "../../../services/notes/NoteEdits.ts"
import { Notes } from "../../../services/notes/Notes.ts"
import { nameKey, TagName } from "../../../services/notes/tags/Tag.ts"
import { shortened } from "../../../services/notes/texts/ShownText.ts"
import { atMost, notEmpty } from "../../../services/Text.ts"
import * as McpTool from "./McpTool.ts"
import { changed, id, note_id, notebook_id, version, versionRead, write } from "./ToolFields.ts"
import * as TrashedNotes from "./TrashedNotes.ts"
import { unused } from "./UnusedArguments.ts"

const mutation_id = McpTool.mutation_id

const moveArgs = Schema.Struct({ note_id, notebook_id, mutation_id })

const names = (description: string) =>
  Schema.optionalKey(Schema.Array(TagName).check(notEmpty(), atMost(50)).annotate({ description }))
const tagArgs = Schema.Struct({
  note_ids: Schema.Array(id).check(notEmpty(), atMost(20)).annotate({ description: "At most 20." }),
  add: names("Tags to add."),
  remove: names("Tags to remove."),
  mutation_id
})
type TagArgs = typeof tagArgs.Type

const trashArgs = Schema.Struct({ note_id, version: versionRead, mutation_id })

const restoreArgs = Schema.Struct({
  note_id,
  to_version: Schema.optionalKey(version.annotate({ description: "From note_history." })),
  version: Schema.optionalKey(versionRead.annotate({ description: "With `to_version`: the version that you read." })),
  notebook_id: Schema.optionalKey(id.annotate({ description: "Where a note from the trash goes." })),
  mutation_id
})
type RestoreArgs = typeof restoreArgs.Type

/** The condition that a note has the version that the caller read. */
const at =
  (version: number): NoteCondition =>
  (current) =>
    current.version === version ? Effect.void : Effect.fail(Stale.at(current.version))

const notInTrash = Invalid.field("notebook_id", "invalid", "is for a note in the trash: move_note moves this one")

/** The condition of a call that restores a note from the trash or the archive. */
const restorable =
  ({ notebook_id, version }: RestoreArgs): RestoreCondition =>
  (current) => {
    if (version !== undefined && current.version !== version) return Effect.fail(Stale.at(current.version))
    return notebook_id !== undefined && current.deleted_at === null ? Effect.fail(notInTrash) : Effect.void
  }

/** The tags of a note after a call, which keeps all tags that it does not name. */
const retagged = (tags: ReadonlyArray<string>, { add = [], remove = [] }: TagArgs): ReadonlyArray<string> => {
  const removed = new Set(remove.map(nameKey))
  const kept = tags.filter((tag) => !removed.has(nameKey(tag)))
  const known = new Set(kept.map(nameKey))
  return [...kept, ...add.filter((tag) => !known.has(nameKey(tag)))]
}

const tooMany = Invalid.field("add", "too_many", "would give the note more than 50 tags")

const noTags = Invalid.field("add", "required", "is required without remove")

const addedAndRemoved = Invalid.field("remove", "invalid", "must not have a tag of add")

const versionNeeded = Invalid.field("version", "required", "is required with to_version")

export const PlaceTools = Effect.gen(function* () {
  const notes = yield* Notes
  const inTrash = yield* TrashedNotes.make

  const moveNote = ({ note_id, notebook_id }: typeof moveArgs.Type) =>
    Effect.map(
      notes.edit(note_id, () => Effect.succeed({ notebook_id })),
      ({ id, notebook_id, version }) => ({ id, version, notebook_id })
    )

  const tagNote = (note_id: string, args: TagArgs) =>
    notes.edit(note_id, (current) => {
      const tags = retagged(current.tags, args)
      return tags.length > 50 ? Effect.fail(tooMany) : Effect.succeed({ tags })
    })

  const tagNotes = Effect.fnUntraced(function* (args: TagArgs) {
    if (args.add === undefined && args.remove === undefined) return yield* noTags
    const added = new Set(args.add?.map(nameKey))
    if (args.remove?.some((tag) => added.has(nameKey(tag))) === true) return yield* addedAndRemoved
    const tagged: Array<{ readonly id: string; readonly version: number }> = []
    const failed: Array<{ readonly id: string; readonly code: string; readonly detail: string }> = []
    let first: SheafError | undefined
    for (const note_id of new Set(args.note_ids)) {
      const made = yield* Effect.result(inTrash(note_id, tagNote(note_id, args)))
      if (made._tag === "Success") tagged.push({ id: note_id, version: made.success.version })
      else {
        first ??= made.failure
        failed.push({ id: shortened(note_id, 50), code: made.failure.code, detail: made.failure.detail })
      }
    }
    if (tagged.length === 0 && first !== undefined) return yield* first
    return { notes: tagged, failed }
  })

  const trashNote = ({ note_id, version }: typeof trashArgs.Type) =>
    Effect.as(notes.delete(note_id, { permanent: false }, at(version)), { id: note_id, in_trash: true })

  const restoreVersion = Effect.fnUntraced(function* (args: RestoreArgs, to_version: number) {
    if (args.version === undefined) return yield* versionNeeded
    const wrong = unused(args, ["notebook_id"], "is for a note in the trash, without to_version")
    if (wrong !== undefined) return yield* wrong
    return yield* inTrash(args.note_id, notes.restoreVersion(args.note_id, String(to_version), at(args.version)))
  })

  const restoreNote = Effect.fnUntraced(function* (args: RestoreArgs) {
    const { note_id, notebook_id, to_version } = args
    const note = yield* to_version === undefined
      ? notes.restore(note_id, notebook_id === undefined ? {} : { notebook_id }, restorable(args))
      : restoreVersion(args, to_version)
    return { id: note.id, version: note.version, notebook_id: note.notebook_id }
  })

  return [
    McpTool.writing({
      name: "move_note",
      title: "Move a note",
      description: "Moves it to another notebook.",
      access: write,
      args: moveArgs,
      result: Schema.Struct({ ...changed, notebook_id: Schema.String }),
      run: (args: typeof moveArgs.Type) => inTrash(args.note_id, moveNote(args))
    }),
    McpTool.writing({
      name: "tag_notes",
      title: "Tag notes",
      description: "Adds and removes tags; others stay. `failed`: notes not changed.",
      access: write,
      args: tagArgs,
      result: Schema.Struct({
        notes: Schema.Array(Schema.Struct(changed)),
        failed: Schema.Array(Schema.Struct({ id: Schema.String, code: Schema.String, detail: Schema.String }))
      }),
      run: tagNotes
    }),
    McpTool.removing({
      name: "trash_note",
      title: "Move a note to the trash",
      description: "For 30 days restore_note can bring it back.",
      access: write,
      args: trashArgs,
      result: Schema.Struct({ id: Schema.String, in_trash: Schema.Boolean }),
      run: (args: typeof trashArgs.Type) => inTrash(args.note_id, trashNote(args))
    }),
    McpTool.writing({
      name: "restore_note",
      title: "Restore a note",
      description:
        "Brings a note back from the trash (into its notebook, else Inbox) or the archive. With `to_version`, makes an earlier version the newest; those between stay in note_history.",
      access: write,
      args: restoreArgs,
      result: Schema.Struct({ ...changed, notebook_id: Schema.String }),
      run: restoreNote
    })
  ]
})
