import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { exampleId } from "../../services/Fields.ts"
import {
  about,
  Attachment,
  AttachmentCreate,
  AttachmentUpdate,
  AttachmentUpload
} from "../../services/notes/Attachment.ts"
import { attachmentList } from "../../services/notes/AttachmentTable.ts"
import { Access, reads, writes } from "./Authorization.ts"
import { created, Deleted, id, list, page } from "./Envelopes.ts"
import { listing, operation } from "./Operation.ts"

const read = reads("files:read", "notes:read")
const write = writes("files:write", "notes:write")

const codes = ["unresolved_reference", "quota_exceeded", "size_mismatch", "checksum_mismatch"] as const

const sending =
  "Send the bytes as they are by PUT to `upload_url`, once, within 15 minutes; `size` and `sha256`, where they were given, are checked then. " +
  "A `sha256` that the workspace has already makes the attachment `ready` at once, and `upload_url` null. " +
  "Where files are kept in a bucket, the PUT goes there, and `complete` makes the attachment ready."

/** In one step: the fields of an attachment, and behind them its bytes. */
const AttachmentForm = Schema.Struct({
  note_id: Schema.String.annotate({ description: about.note_id, examples: [exampleId("nt")] }),
  filename: Schema.optionalKey(
    Schema.String.annotate({ ...about.filename, description: "The name of the file, unless it is that of `file`." })
  ),
  content_type: Schema.optionalKey(
    Schema.String.annotate({ ...about.content_type, description: "The MIME type, unless it is that of `file`." })
  ),
  size: Schema.optionalKey(Schema.Int.annotate({ ...about.size, description: "Bytes, to be checked." })),
  sha256: Schema.optionalKey(Schema.String.annotate({ ...about.sha256, description: "SHA-256, to be checked." })),
  file: Schema.String.annotate({ description: "The bytes, behind all other fields.", format: "binary" })
})
  .annotate({ identifier: "AttachmentForm" })
  .pipe(HttpApiSchema.asMultipart())

export class AttachmentsApi extends HttpApiGroup.make("attachments")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(Attachment) })
      .annotateMerge(
        operation(
          "listAttachments",
          "List attachments",
          "The newest first. Attachments of notes in the trash are left out.",
          listing(attachmentList)
        )
      )
      .annotate(Access, read),
    HttpApiEndpoint.post("create", "/", {
      payload: [AttachmentCreate, AttachmentForm],
      success: AttachmentUpload.pipe(created)
    })
      .annotateMerge(
        operation(
          "createAttachment",
          "Create an attachment",
          `As JSON it begins an upload. ${sending} As a form (\`multipart/form-data\`) it brings the bytes along, in the field \`file\` behind all others, and the attachment is ready with the answer.`,
          { codes: [...codes, "payload_too_large"] }
        )
      )
      .annotate(Access, write),
    HttpApiEndpoint.post("upload", "/uploads", { payload: AttachmentCreate, success: AttachmentUpload.pipe(created) })
      .annotateMerge(operation("createUpload", "Begin an upload", sending, { codes }))
      .annotate(Access, write),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: Attachment })
      .annotateMerge(
        operation(
          "getAttachment",
          "Get an attachment",
          "With a signed `url` once it is ready. While it is pending, whoever may change it is told anew where its bytes are to be sent."
        )
      )
      .annotate(Access, read),
    HttpApiEndpoint.patch("update", "/:id", { params: id, payload: AttachmentUpdate, success: Attachment })
      .annotateMerge(
        operation(
          "updateAttachment",
          "Change an attachment",
          "Only supplied fields change: its note, its name and its type. `size`, `sha256` and `url` are the server's.",
          { codes: ["unresolved_reference", "quota_exceeded"] }
        )
      )
      .annotate(Access, write),
    HttpApiEndpoint.make("DELETE")("delete", "/:id", { params: id, success: Deleted })
      .annotateMerge(
        operation("deleteAttachment", "Delete an attachment", "For good. Links to it in notes stay, and lead nowhere.")
      )
      .annotate(Access, write),
    HttpApiEndpoint.post("complete", "/:id/complete", { params: id, success: Attachment })
      .annotateMerge(
        operation(
          "completeAttachment",
          "Complete an upload",
          "Checks what was sent to a bucket, and makes the attachment `ready`. Where it is ready already, it changes nothing.",
          { codes: ["attachment_not_ready", "size_mismatch", "checksum_mismatch", "quota_exceeded"] }
        )
      )
      .annotate(Access, write),
    HttpApiEndpoint.get("download", "/:id/download", {
      params: id,
      query: { redirect: Schema.optionalKey(Schema.String) },
      success: Attachment
    })
      .annotateMerge(
        operation(
          "downloadAttachment",
          "Download an attachment",
          "The attachment with a `url` that is good for all of 15 minutes. With `redirect=true`, 302 to that.",
          {
            codes: ["attachment_not_ready"],
            parameters: {
              redirect: {
                type: "boolean",
                default: false,
                description: "Whether the answer leads to the bytes at once."
              }
            }
          }
        )
      )
      .annotate(Access, read)
  )
  .prefix("/attachments")
  .annotateMerge(OpenApi.annotations({ title: "Attachments", description: "Files that hang on notes." })) {}
