import { Effect } from "effect"
import { Tags } from "../../../../services/notes/tags/Tags.ts"
import * as Handlers from "./Handlers.ts"
import * as Respond from "../responses/Respond.ts"

export const TagsHttp = Handlers.group("tags", { tags: Tags }, ({ tags }) => ({
  list: ({ query }) => Effect.flatMap(tags.list(query), Respond.page),
  create: ({ payload }) => Effect.flatMap(tags.create(payload), (tag) => Respond.resource(tag, 201)),
  merge: ({ payload }) => Effect.flatMap(tags.merge(payload), (tag) => Respond.resource(tag, 201)),
  get: ({ params }) => Effect.flatMap(tags.get(params.id), (tag) => Respond.resource(tag)),
  update: Effect.fnUntraced(function* ({ params, payload }) {
    return yield* Respond.resource(yield* tags.update(params.id, payload, yield* Respond.condition))
  }),
  delete: Effect.fnUntraced(function* ({ params }) {
    yield* tags.delete(params.id, yield* Respond.condition)
    return Respond.deleted(params.id)
  })
}))
