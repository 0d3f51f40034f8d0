import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { exampleId } from "../../../../services/Fields.ts"
import {
  about,
  Attachment,
  AttachmentCreate,
  attachmentList,
  AttachmentUpdate,
  AttachmentUpload
} from "../../../../services/notes/attachments/Attachment.ts"
import { reads, withinReach, writes } from "../Authorization.ts"
import { DryRunnable } from "../Conventions.ts"
import { created, Deleted, id, list, page } from "../Envelopes.ts"
import { describing, listing, operations } from "../Operation.ts"

const read = operations(withinReach(reads("files:read", "notes:read")))
const write = operations(withinReach(writes("files:write", "notes:write")))

const codes = ["unresolved_reference", "quota_exceeded", "size_mismatch", "checksum_mismatch"] as const

const sending =
  "Send the bytes unchanged by PUT to `upload_url`, once, within 15 minutes. `size` and `sha256`, if given, are then checked. " +
  "If the workspace already has bytes with this `sha256`, the attachment is `ready` at once and `upload_url` is null. " +
  "If the server keeps files in a bucket, the PUT goes there, and `complete` makes the attachment ready."

/** A form that creates an attachment in one step: its fields, then its bytes. */
const AttachmentForm = Schema.Struct({
  note_id: Schema.String.annotate({ description: about.note_id, examples: [exampleId("nt")] }),
  filename: Schema.optionalKey(
    Schema.String.annotate({
      ...about.filename,
      description: "The name of the file, if it differs from that of `file`."
    })
  ),
  content_type: Schema.optionalKey(
    Schema.String.annotate({ ...about.content_type, description: "The media type, if it differs from that of `file`." })
  ),
  size: Schema.optionalKey(Schema.Int.annotate({ ...about.size, description: "The size in bytes, to be checked." })),
  sha256: Schema.optionalKey(
    Schema.String.annotate({ ...about.sha256, description: "The SHA-256 of the bytes, to be checked." })
  ),
  file: Schema.String.annotate({ description: "The bytes, as the last field.", format: "binary" })
})
  .annotate({ identifier: "AttachmentForm" })
  .pipe(HttpApiSchema.asMultipart())

export class AttachmentsApi extends HttpApiGroup.make("attachments")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(Attachment) }).annotateMerge(
      read(
        "listAttachments",
        "List attachments",
        "Newest first. Attachments of notes in the trash are left out.",
        listing(attachmentList)
      )
    ),
    HttpApiEndpoint.post("create", "/", {
      payload: [AttachmentCreate, AttachmentForm],
      success: AttachmentUpload.pipe(created)
    }).annotateMerge(
      write(
        "createAttachment",
        "Create an attachment",
        `A JSON body starts an upload. ${sending} A form (\`multipart/form-data\`) contains the bytes, as the last field \`file\`, and the attachment is ready at once.`,
        { codes: [...codes, "payload_too_large"] }
      )
    ),
    HttpApiEndpoint.post("upload", "/uploads", {
      payload: AttachmentCreate,
      success: AttachmentUpload.pipe(created)
    }).annotateMerge(write("createUpload", "Start an upload", sending, { codes })),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: Attachment }).annotateMerge(
      read(
        "getAttachment",
        "Get an attachment",
        "Includes a signed `url` once the attachment is ready. While it is pending, callers who may change it get a new `upload_url`."
      )
    ),
    HttpApiEndpoint.patch("update", "/:id", {
      params: id,
      payload: AttachmentUpdate,
      success: Attachment
    })
      .annotateMerge(
        write(
          "updateAttachment",
          "Change an attachment",
          "Only supplied fields change: `note_id`, `filename` and `content_type`. The server sets `size`, `sha256` and `url`.",
          { codes: ["unresolved_reference", "quota_exceeded"] }
        )
      )
      .annotate(DryRunnable, true),
    HttpApiEndpoint.make("DELETE")("delete", "/:id", { params: id, success: Deleted })
      .annotateMerge(
        write(
          "deleteAttachment",
          "Delete an attachment",
          "Deletes it permanently. Links to it in notes stay in the text, but no longer work."
        )
      )
      .annotate(DryRunnable, true),
    HttpApiEndpoint.post("complete", "/:id/complete", { params: id, success: Attachment }).annotateMerge(
      write(
        "completeAttachment",
        "Complete an upload",
        "Checks the bytes that were sent to a bucket, and makes the attachment `ready`. An attachment that is already ready is returned unchanged.",
        { codes: ["attachment_not_ready", "size_mismatch", "checksum_mismatch", "quota_exceeded"] }
      )
    ),
    HttpApiEndpoint.get("download", "/:id/download", {
      params: id,
      query: { redirect: Schema.optionalKey(Schema.String) },
      success: Attachment
    }).annotateMerge(
      read(
        "downloadAttachment",
        "Download an attachment",
        "The attachment with a `url` that is valid for the next 15 minutes. With `redirect=true` the response is 302 to that address.",
        {
          codes: ["attachment_not_ready"],
          parameters: {
            redirect: {
              type: "boolean",
              default: false,
              description: "Whether to redirect to the bytes."
            }
          }
        }
      )
    )
  )
  .prefix("/attachments")
  .annotateMerge(describing("Attachments", "Files attached to notes.")) {}
