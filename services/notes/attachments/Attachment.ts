import { Schema, SchemaTransformation } from "effect"
import * as Fields from "../../Fields.ts"
import { listOf } from "../../lists/ListSpec.ts"
import { contentTypeOf } from "../../MediaTypes.ts"
import type { SyncedRecord } from "../../records/SyncedRecord.ts"
import * as Column from "../../tables/Column.ts"
import * as Table from "../../tables/Table.ts"
import * as Text from "../../Text.ts"
import { inNote } from "../NoteTable.ts"

export const about = {
  note_id: "The note that the file belongs to.",
  filename: { description: "The name of the file, at most 255 characters.", examples: ["report.pdf"] },
  content_type: {
    description: "The media type. Default: derived from the file name.",
    examples: ["application/pdf"]
  },
  size: { description: "Bytes.", examples: [184_320] },
  sha256: {
    description: "SHA-256 of the content, in hexadecimal.",
    examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"]
  }
}

const attachmentStatuses = ["pending", "ready", "failed"] as const

/** The members of an attachment that are stored and synced. */
export const StoredAttachment = Schema.Struct({
  id: Fields.ownId("at"),
  note_id: Fields.id("nt", about.note_id),
  filename: Schema.String.annotate(about.filename),
  content_type: Schema.String.annotate(about.content_type),
  size: Schema.NullOr(Schema.Int.annotate({ ...about.size, minimum: 0, isBig: true })).annotate({
    description: "Size in bytes; null until it is known."
  }),
  sha256: Schema.NullOr(Schema.String.annotate(about.sha256)).annotate({
    description: "SHA-256 of the content, in hexadecimal; null until it is known."
  }),
  status: Schema.Literals(attachmentStatuses).annotate({
    description: "`pending` until its bytes have arrived, then `ready`.",
    examples: ["ready"]
  }),
  created_at: Fields.createdAt
}).annotate({ identifier: "SyncedAttachment" })
export type StoredAttachment = typeof StoredAttachment.Type

const url = Schema.NullOr(Schema.String).annotate({
  description:
    "The signed address of its bytes, valid for at most 15 minutes; it needs no Authorization. Null until the attachment is ready.",
  examples: [`${Fields.exampleOrigin}/files/…`]
})

const upload = {
  upload_url: Schema.NullOr(Schema.String).annotate({
    description: "The address to send its bytes to, once. Null if the server has them already.",
    examples: [`${Fields.exampleOrigin}/files/…`]
  }),
  upload_method: Schema.Literal("PUT").annotate({
    description: "How to send them: unchanged, as the body of a PUT."
  }),
  upload_headers: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Headers to send with the bytes.",
    examples: [{ "content-type": "application/pdf" }]
  }),
  upload_expires_at: Schema.NullOr(Fields.time("When `upload_url` expires."))
}

/** An attachment (contract 7). */
export const Attachment = Schema.Struct({
  ...StoredAttachment.fields,
  url,
  upload_url: Schema.optionalKey(upload.upload_url),
  upload_method: Schema.optionalKey(upload.upload_method),
  upload_headers: Schema.optionalKey(upload.upload_headers),
  upload_expires_at: Schema.optionalKey(upload.upload_expires_at)
}).annotate({ identifier: "Attachment" })
export type Attachment = typeof Attachment.Type

/** An attachment, with the address for its bytes. */
export const AttachmentUpload = Schema.Struct({ ...StoredAttachment.fields, url, ...upload }).annotate({
  identifier: "AttachmentUpload"
})
export type AttachmentUpload = typeof AttachmentUpload.Type

export const filename = (about: Schema.Annotations.Bottom<string, readonly []>) =>
  Text.notBlank(255)
    .check(
      Text.checked(
        "invalid",
        "must be a name, without a path",
        (text) => text !== "." && text !== ".." && !/[/\\]/.test(text)
      )
    )
    .annotate(about)
    .pipe(Text.onOneLine)

const sha256 = Schema.String.check(
  Text.checked("invalid", "must be 64 hexadecimal digits", (text) => /^[0-9a-f]{64}$/i.test(text), {
    pattern: "^[0-9a-fA-F]{64}$"
  })
)
  .annotate(about.sha256)
  .pipe(
    Schema.decodeTo(
      Schema.String,
      SchemaTransformation.transform({ decode: (text) => text.toLowerCase(), encode: (text) => text })
    )
  )

const contentType = Text.notBlank(255)
  .check(Text.checked("invalid", "must be a MIME type, such as image/png", (text) => contentTypeOf(text) !== undefined))
  .annotate(about.content_type)
  .pipe(
    Schema.decodeTo(
      Schema.String,
      SchemaTransformation.transform({ decode: (text) => contentTypeOf(text) ?? text, encode: (text) => text })
    )
  )

const note_id = Text.notBlank(100).annotate(Fields.aboutId("nt", about.note_id))

const writable = {
  note_id: Schema.optionalKey(note_id),
  filename: Schema.optionalKey(filename(about.filename)),
  content_type: Schema.optionalKey(contentType)
}

/** `size` and `sha256` are checked when the bytes arrive. With a known `sha256`, the attachment is ready at once. */
export const AttachmentCreate = Schema.Struct({
  ...writable,
  note_id,
  filename: filename(about.filename),
  size: Schema.optionalKey(Schema.NullOr(Text.whole(0, Number.MAX_SAFE_INTEGER).annotate(about.size))),
  sha256: Schema.optionalKey(Schema.NullOr(sha256)),
  url: Schema.optionalKey(Text.Ignored)
}).annotate({ identifier: "AttachmentCreate" })
export type AttachmentCreate = typeof AttachmentCreate.Type

export const AttachmentUpdate = Schema.Struct({
  ...writable,
  size: Schema.optionalKey(Text.Ignored),
  sha256: Schema.optionalKey(Text.Ignored),
  url: Schema.optionalKey(Text.Ignored)
}).annotate({ identifier: "AttachmentUpdate" })
export type AttachmentUpdate = typeof AttachmentUpdate.Type

export const attachments = Table.ofRecord("attachments", StoredAttachment, {
  internal: {
    revision: Column.int,
    /** The user who created it: the actor when its direct upload is completed. */
    author_id: Column.nullable(Column.text()),
    /** The blob with its bytes: its `sha256`, once it is ready. */
    blob: Column.nullable(Column.text()),
    /** The name under which a client uploads its bytes directly to a bucket. */
    staging: Column.nullable(Column.text()),
    /** Whether it is in the trash, with its note. */
    trashed: Column.boolean
  },
  key: ["id"],
  within: inNote
})
export type AttachmentRow = Table.Row<typeof attachments>

export const attachmentList = listOf(attachments.shape, {
  path: "/attachments",
  from: attachments.name,
  sort: ["-created_at", "filename", "size"],
  filter: ["id", "note_id", "filename", "content_type", "size", "sha256", "status", "created_at"],
  words: ["filename"],
  enums: ["status"],
  indexed: { id: "few", note_id: "few", created_at: "order" },
  sorts: { size: { sql: "coalesce(size, -1)", type: "bigint" } },
  hidden: [{ condition: "NOT trashed", shownBy: [] }]
})

const { note_id: _, url: __, ...pushed } = AttachmentCreate.fields

export const syncedAttachments: SyncedRecord = {
  type: "attachment",
  table: attachments,
  data: StoredAttachment,
  pushed: Schema.Struct({
    ...pushed,
    note_id: Schema.optionalKey(Fields.reference("nt", about.note_id)),
    filename: Schema.optionalKey(pushed.filename)
  }).annotate({ identifier: "PushAttachmentData" }),
  references: ["note_id"],
  removals: ["attachment.deleted"]
}
