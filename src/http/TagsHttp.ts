import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Tags } from "../../services/notes/Tags.ts"
import { Api } from "../api/Api.ts"
import * as Respond from "./Respond.ts"

export const TagsHttp = HttpApiBuilder.group(
  Api,
  "tags",
  Effect.fn(function*(handlers) {
    const tags = yield* Tags
    return handlers.handleAll({
      list: ({ query }) => Effect.map(tags.list(query), Respond.page),
      create: ({ payload }) => Effect.map(tags.create(payload), (tag) => Respond.value(tag, 201)),
      merge: ({ payload }) => Effect.map(tags.merge(payload), (tag) => Respond.value(tag, 201)),
      get: ({ params }) => Effect.map(tags.get(params.id), (tag) => Respond.value(tag)),
      update: ({ params, payload }) => Effect.map(tags.update(params.id, payload), (tag) => Respond.value(tag)),
      delete: ({ params }) => Effect.as(tags.delete(params.id), Respond.deleted(params.id))
    })
  })
)
