import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { Attachments } from "../../../../services/notes/attachments/Attachments.ts"
import { type Attachment, AttachmentCreate } from "../../../../services/notes/attachments/Attachment.ts"
import { binary } from "../../../../services/MediaTypes.ts"
import { reader } from "../../../../services/records/SyncAdapter.ts"
import { type FormFile, formWithFile } from "../responses/FormWithFile.ts"
import * as Payload from "../pipeline/Payload.ts"
import { UnderKey } from "../pipeline/IdempotencyHttp.ts"
import { isForm } from "../server/Uploads.ts"
import * as Handlers from "./Handlers.ts"
import * as Respond from "../responses/Respond.ts"

/** Members with signed URLs, which differ in each response. */
const transient = ["url", "upload_url", "upload_method", "upload_headers", "upload_expires_at"]
const condition = Respond.conditionOn(transient)
const shown = (attachment: Attachment, status = 200) => Respond.resource(attachment, status, transient)

const toCreate = Payload.reader(AttachmentCreate)
const fromForm = reader(AttachmentCreate)

const formFields = ["note_id", "filename", "content_type", "size", "sha256"]

/** The input of a form. Name and media type default to those of the part with the file. */
const ofForm = ({ size, ...fields }: Readonly<Record<string, string>>, { content_type, filename }: FormFile) =>
  fromForm({
    filename,
    ...(content_type === undefined || content_type === binary ? {} : { content_type }),
    ...fields,
    ...(size === undefined ? {} : { size: /^\d+$/.test(size) ? Number(size) : size })
  })

export const AttachmentsHttp = Handlers.group("attachments", { attachments: Attachments }, ({ attachments }) => ({
  list: ({ query }) => Effect.flatMap(attachments.list(query), Respond.page),
  create: Handlers.raw(({ request }) => {
    const created = (made: Attachment) => shown(made, 201)
    if (!isForm(request)) {
      return Effect.flatMap(toCreate(request), (input) => Effect.flatMap(attachments.create(input), created))
    }
    return formWithFile(formFields, (fields, file) =>
      Effect.gen(function* () {
        const input = yield* ofForm(fields, file)
        const underKey = yield* UnderKey
        return yield* attachments.taken(input, file.bytes, (taken) =>
          underKey([JSON.stringify(input), taken.staged.sha256], Effect.flatMap(attachments.add(input, taken), created))
        )
      })
    )
  }),
  upload: ({ payload }) => Effect.flatMap(attachments.create(payload), (made) => shown(made, 201)),
  get: ({ params }) => Effect.flatMap(attachments.get(params.id), (attachment) => shown(attachment)),
  update: Effect.fnUntraced(function* ({ params, payload }) {
    return yield* shown(yield* attachments.update(params.id, payload, yield* condition))
  }),
  delete: Effect.fnUntraced(function* ({ params }) {
    yield* attachments.delete(params.id, yield* condition)
    return Respond.deleted(params.id)
  }),
  complete: Effect.fnUntraced(function* ({ params }) {
    return yield* shown(yield* attachments.complete(params.id, yield* condition))
  }),
  download: Effect.fnUntraced(function* ({ params, query }) {
    const attachment = yield* attachments.download(params.id)
    return query.redirect === "true"
      ? HttpServerResponse.empty({ status: 302, headers: { location: attachment.url!, "cache-control": "no-store" } })
      : yield* shown(attachment)
  })
}))
