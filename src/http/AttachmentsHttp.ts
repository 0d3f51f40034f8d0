import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { Attachments } from "../../services/notes/Attachments.ts"
import * as Handlers from "./Handlers.ts"
import * as Respond from "./Respond.ts"

export const AttachmentsHttp = Handlers.group("attachments", { attachments: Attachments }, ({ attachments }) => ({
  list: ({ query }) => Effect.flatMap(attachments.list(query), Respond.page),
  create: ({ payload }) => Effect.flatMap(attachments.create(payload), (made) => Respond.resource(made, 201)),
  upload: ({ payload }) => Effect.flatMap(attachments.create(payload), (made) => Respond.resource(made, 201)),
  get: ({ params }) => Effect.flatMap(attachments.get(params.id), (attachment) => Respond.resource(attachment)),
  update: Effect.fnUntraced(function* ({ params, payload }) {
    return yield* Respond.resource(yield* attachments.update(params.id, payload, yield* Respond.condition))
  }),
  delete: Effect.fnUntraced(function* ({ params }) {
    yield* attachments.delete(params.id, yield* Respond.condition)
    return Respond.deleted(params.id)
  }),
  complete: ({ params }) =>
    Effect.flatMap(attachments.complete(params.id), (attachment) => Respond.resource(attachment)),
  download: Effect.fnUntraced(function* ({ params, query }) {
    const attachment = yield* attachments.download(params.id)
    return query.redirect === "true"
      ? HttpServerResponse.empty({ status: 302, headers: { location: attachment.url!, "cache-control": "no-store" } })
      : yield* Respond.resource(attachment)
  })
}))
