import { Schema } from "effect"
import { reference } from "../../Fields.ts"
import { listOf } from "../../lists/ListSpec.ts"
import * as Column from "../../tables/Column.ts"
import type { Synced } from "../../records/SyncedRecord.ts"
import * as Table from "../../tables/Table.ts"
import { about, AttachmentCreate, StoredAttachment } from "./Attachment.ts"

export const attachments = Table.ofRecord("attachments", StoredAttachment, {
  internal: {
    revision: Column.int,
    /** Who made it: what comes by a signed URL is theirs. */
    author_id: Column.nullable(Column.text()),
    /** The blob that has its bytes: its `sha256`, once it is ready. */
    blob: Column.nullable(Column.text()),
    /** Where a client sends its bytes to a bucket itself. */
    staging: Column.nullable(Column.text()),
    /** In the trash, with its note. */
    trashed: Column.boolean
  },
  key: ["id"]
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

export const syncedAttachments: Synced = {
  type: "attachment",
  name: "Attachment",
  prefix: "at",
  table: attachments,
  data: StoredAttachment,
  pushed: Schema.Struct({
    ...pushed,
    note_id: Schema.optionalKey(reference("nt", about.note_id)),
    filename: Schema.optionalKey(pushed.filename)
  }).annotate({ identifier: "PushAttachmentData" }),
  references: ["note_id"],
  removals: ["attachment.deleted"]
}
