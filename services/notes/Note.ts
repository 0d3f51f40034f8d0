import { Schema } from "effect"
import { id, time } from "../Fields.ts"
import * as Text from "../Text.ts"
import { TagName } from "./Tag.ts"

/** interface.md "Note"; limits counted as contract 2 says. */
export const Note = Schema.Struct({
  id: id("nt", "The note's id."),
  notebook_id: id("nb", "The notebook that contains the note."),
  title: Schema.String,
  body: Schema.String.annotate({ isLarge: true }),
  tags: Schema.Array(Schema.String),
  pinned: Schema.Boolean,
  archived: Schema.Boolean,
  version: Schema.Int,
  word_count: Schema.Int,
  created_at: time("When it was made."),
  updated_at: time("When it was last changed."),
  deleted_at: Schema.optionalKey(time("When it was put into the trash. Stands on notes in the trash only."))
}).annotate({ identifier: "Note" })
export type Note = typeof Note.Type

const tags = Schema.Array(TagName).check(Text.atMost(50))

const writable = {
  notebook_id: Schema.optionalKey(Text.line(100)),
  title: Schema.optionalKey(Text.line(200)),
  body: Schema.optionalKey(Text.bytes(1_048_576)),
  tags: Schema.optionalKey(tags),
  pinned: Schema.optionalKey(Schema.Boolean),
  archived: Schema.optionalKey(Schema.Boolean)
}

export const NoteCreate = Schema.Struct({ ...writable, notebook_id: Text.line(100), title: Text.line(200) }).annotate({
  identifier: "NoteCreate"
})
export type NoteCreate = typeof NoteCreate.Type

/** `version`, when given, is what If-Match is: the version that the change is based on. */
export const NoteUpdate = Schema.Struct({ ...writable, version: Schema.optionalKey(Schema.Int) }).annotate({
  identifier: "NoteUpdate"
})
export type NoteUpdate = typeof NoteUpdate.Type

export const NoteVersion = Schema.Struct({
  version: Schema.Int,
  note_id: id("nt", "The note's id."),
  title: Schema.String,
  body: Schema.String.annotate({ isLarge: true }),
  tags: Schema.Array(Schema.String),
  notebook_id: id("nb", "The notebook that contained the note."),
  word_count: Schema.Int,
  author_id: Schema.NullOr(id("us", "The user who made it; null when the server did.")),
  created_at: time("When it was made."),
  restored_from: Schema.NullOr(Schema.Int)
}).annotate({ identifier: "NoteVersion" })
export type NoteVersion = typeof NoteVersion.Type
