import { Schema } from "effect"
import * as Ids from "../../Ids.ts"
import { AttachmentCreate } from "../../notes/attachments/Attachment.ts"
import { maxComment } from "../../notes/comments/Comment.ts"
import { maxBody, NoteCreate } from "../../notes/Note.ts"
import { NotebookCreate } from "../../notes/notebooks/Notebook.ts"
import { channels } from "../../notes/reminders/Reminder.ts"
import { TagCreate } from "../../notes/tags/Tag.ts"
import { TemplateCreate } from "../../notes/templates/Template.ts"
import * as Text from "../../Text.ts"
import { formatVersion } from "../exports/ExportVersion.ts"
import { Damaged, type SourceNote } from "../formats/Item.ts"

/** The records of a JSON export as they are taken in: whoever brings them may have written them. */

const ownId = (prefix: Ids.Prefix) =>
  Schema.String.check(Text.checked("invalid", `must be an id of ${prefix}_`, (text) => Ids.isClientMade(prefix, text)))

const moment = Text.Timestamp
const whole = (min: number) => Text.whole(min, 2_147_483_647)
const user = Schema.NullOr(ownId("us"))

export const Manifest = Schema.Struct({
  format: Schema.Literal("sheaf-export"),
  version: Schema.Literal(formatVersion),
  include_attachments: Schema.Boolean
})

export const NotebookRecord = Schema.Struct({
  ...NotebookCreate.fields,
  id: ownId("nb"),
  created_at: moment,
  updated_at: moment
})
export type NotebookRecord = typeof NotebookRecord.Type

export const TagRecord = Schema.Struct({ ...TagCreate.fields, id: ownId("tg"), created_at: moment })
export type TagRecord = typeof TagRecord.Type

export const TemplateRecord = Schema.Struct({
  ...TemplateCreate.fields,
  id: ownId("tp"),
  created_at: moment,
  updated_at: moment
})
export type TemplateRecord = typeof TemplateRecord.Type

export const NoteRecord = Schema.Struct({
  ...NoteCreate.fields,
  body: Text.bytes(maxBody),
  tags: Schema.Array(TagCreate.fields.name).check(Text.atMost(50)),
  id: ownId("nt"),
  version: whole(1),
  created_at: moment,
  updated_at: moment,
  author_id: user,
  restored_from: Schema.NullOr(whole(1))
})
export type NoteRecord = typeof NoteRecord.Type

const { body: _, created_at: __, id: ___, updated_at: ____, ...kept } = NoteRecord.fields

export const VersionRecord = Schema.Struct({
  ...kept,
  body: Schema.NullOr(Text.bytes(maxBody)),
  pinned: Schema.Boolean,
  archived: Schema.Boolean,
  word_count: whole(0),
  created_at: moment
})
export type VersionRecord = typeof VersionRecord.Type

const { content_type, filename } = AttachmentCreate.fields

export const AttachmentRecord = Schema.Struct({
  id: ownId("at"),
  filename,
  content_type,
  size: Text.whole(0, Number.MAX_SAFE_INTEGER),
  sha256: Schema.String.check(Text.checked("invalid", "must be a SHA-256", (text) => /^[0-9a-f]{64}$/.test(text))),
  created_at: moment
})
export type AttachmentRecord = typeof AttachmentRecord.Type

export const CommentRecord = Schema.Struct({
  id: ownId("cm"),
  parent_id: Schema.NullOr(ownId("cm")),
  author_id: user,
  body: Text.Text.check(
    Text.checked("too_long", `must be at most ${maxComment} characters`, (text) => Text.codePoints(text) <= maxComment)
  ),
  resolved: Schema.Boolean,
  deleted: Schema.Boolean,
  created_at: moment,
  updated_at: moment
})
export type CommentRecord = typeof CommentRecord.Type

export const ReminderRecord = Schema.Struct({
  id: ownId("rm"),
  remind_at: moment,
  channel: Text.oneOf(channels, "invalid"),
  done: Schema.Boolean,
  user_id: ownId("us"),
  created_at: moment,
  updated_at: moment
})
export type ReminderRecord = typeof ReminderRecord.Type

/** Reads one; `Damaged` says what is wrong with it. */
export const recordReader = <S extends Schema.Codec<any, any>>(schema: S) => {
  const decode = Schema.decodeUnknownSync(schema)
  return (value: unknown): S["Type"] => {
    try {
      return decode(value)
    } catch (error) {
      throw new Damaged("invalid_file", error instanceof Error ? error.message : String(error))
    }
  }
}

/** The note that a record hangs on; `into` where that is a note of an earlier import. */
export interface OfNote {
  readonly note_id: string
  readonly into?: string
}

/** What is read of a JSON export, in the order in which it can be written. Ids are those of the export. */
export type RecordItem =
  | { readonly type: "notebook"; readonly file: string; readonly record: NotebookRecord }
  | { readonly type: "tag"; readonly file: string; readonly record: TagRecord }
  | { readonly type: "template"; readonly file: string; readonly record: TemplateRecord }
  | {
      readonly type: "whole_note"
      readonly file: string
      readonly record: NoteRecord
      readonly source: SourceNote
      /** The first of them. */
      readonly versions: ReadonlyArray<VersionRecord>
      readonly progress: number
    }
  | {
      readonly type: "versions"
      readonly file: string
      readonly note_id: string
      readonly versions: ReadonlyArray<VersionRecord>
    }
  | ({ readonly type: "comment"; readonly file: string; readonly record: CommentRecord } & OfNote)
  | ({ readonly type: "reminder"; readonly file: string; readonly record: ReminderRecord } & OfNote)

/** An attachment, and its bytes where the export has them. */
export interface AttachedFile extends OfNote {
  readonly type: "attached"
  readonly file: string
  readonly record: AttachmentRecord
  readonly open: (() => AsyncIterable<Uint8Array>) | undefined
}

/** Some of the ids that are in the export: told first, and `decide` behind the last. */
export type IdsItem = { readonly type: "ids"; readonly ids: ReadonlyArray<string> } | { readonly type: "decide" }
