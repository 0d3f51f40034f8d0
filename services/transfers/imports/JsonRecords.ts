import { Schema } from "effect"
import { AttachmentCreate } from "../../notes/attachments/Attachment.ts"
import { maxBody, NoteCreate } from "../../notes/Note.ts"
import { NotebookCreate } from "../../notes/notebooks/Notebook.ts"
import { TagCreate } from "../../notes/tags/Tag.ts"
import { TemplateCreate } from "../../notes/templates/Template.ts"
import * as ImportedRecord from "../../records/ImportedRecord.ts"
import type { ResourceType } from "../../Resources.ts"
import * as Text from "../../Text.ts"
import { formatVersion } from "../exports/Export.ts"
import { Damaged, type SourceNote } from "../formats/Item.ts"

/** The records of a JSON export. They are validated, because users may have written them. */

const whole = (min: number) => Text.whole(min, 2_147_483_647)

export const Manifest = Schema.Struct({
  format: Schema.Literal("sheaf-export"),
  version: Schema.Literal(formatVersion),
  include_attachments: Schema.Boolean
})

export const NotebookRecord = ImportedRecord.record("nb", NotebookCreate.fields)
export type NotebookRecord = typeof NotebookRecord.Type

export const TagRecord = Schema.Struct({
  ...TagCreate.fields,
  id: ImportedRecord.id("tg"),
  created_at: ImportedRecord.time
})
export type TagRecord = typeof TagRecord.Type

export const TemplateRecord = ImportedRecord.record("tp", TemplateCreate.fields)
export type TemplateRecord = typeof TemplateRecord.Type

export const NoteRecord = ImportedRecord.record("nt", {
  ...NoteCreate.fields,
  body: Text.bytes(maxBody),
  tags: Schema.Array(TagCreate.fields.name).check(Text.atMost(50)),
  version: whole(1),
  author_id: ImportedRecord.user,
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
  created_at: ImportedRecord.time
})
export type VersionRecord = typeof VersionRecord.Type

const { content_type, filename } = AttachmentCreate.fields

export const AttachmentRecord = Schema.Struct({
  id: ImportedRecord.id("at"),
  filename,
  content_type,
  size: Text.whole(0, Number.MAX_SAFE_INTEGER),
  sha256: Schema.String.check(Text.checked("invalid", "must be a SHA-256", (text) => /^[0-9a-f]{64}$/.test(text))),
  created_at: ImportedRecord.time
})
export type AttachmentRecord = typeof AttachmentRecord.Type

/** Returns a function that reads a record. It throws `Damaged` with the reason if the record is invalid. */
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

/** The note that a record belongs to; `into` is the note of an earlier import that is updated instead. */
export interface OfNote {
  readonly note_id: string
  readonly into?: string
}

/** The members of all records that belong to notes. The schema of the part has the others (`NoteParts`). */
export interface PartRecord {
  readonly id: string
  readonly created_at: string
  readonly updated_at: string
}

/** The items of a JSON export, in the order in which they can be written, with the ids of the export. */
export type RecordItem =
  | { readonly type: "notebook"; readonly file: string; readonly record: NotebookRecord }
  | { readonly type: "tag"; readonly file: string; readonly record: TagRecord }
  | { readonly type: "template"; readonly file: string; readonly record: TemplateRecord }
  | {
      readonly type: "whole_note"
      readonly file: string
      readonly record: NoteRecord
      readonly source: SourceNote
      /** The first versions of its history. */
      readonly versions: ReadonlyArray<VersionRecord>
      readonly progress: number
    }
  | {
      readonly type: "versions"
      readonly file: string
      readonly note_id: string
      readonly versions: ReadonlyArray<VersionRecord>
    }
  | ({
      /** A record that belongs to the note: `of` is its type. */
      readonly type: "part"
      readonly of: ResourceType
      /** Its members with Markdown. */
      readonly texts: ReadonlyArray<string>
      readonly file: string
      readonly record: PartRecord
    } & OfNote)

/** An attachment, and its bytes where the export has them. */
export interface AttachedFile extends OfNote {
  readonly type: "attached"
  readonly file: string
  readonly record: AttachmentRecord
  readonly open: (() => AsyncIterable<Uint8Array>) | undefined
}

/** Some of the ids in the export. They come first, and `decide` after the last. */
export type IdsItem = { readonly type: "ids"; readonly ids: ReadonlyArray<string> } | { readonly type: "decide" }
