import { Effect } from "effect"
import { Comments } from "../../../../services/notes/comments/Comments.ts"
import * as Handlers from "./Handlers.ts"
import * as Respond from "../responses/Respond.ts"

export const CommentsHttp = Handlers.group("comments", { comments: Comments }, ({ comments }) => ({
  list: ({ params, query }) => Effect.flatMap(comments.list(params.note_id, query), Respond.page),
  create: ({ params, payload }) =>
    Effect.flatMap(comments.create(params.note_id, payload), (comment) => Respond.resource(comment, 201)),
  get: ({ params }) => Effect.flatMap(comments.get(params.note_id, params.id), (comment) => Respond.resource(comment)),
  update: Effect.fnUntraced(function* ({ params, payload }) {
    const condition = yield* Respond.condition
    return yield* Respond.resource(yield* comments.update(params.note_id, params.id, payload, condition))
  }),
  delete: Effect.fnUntraced(function* ({ params }) {
    yield* comments.delete(params.note_id, params.id, yield* Respond.condition)
    return Respond.deleted(params.id)
  })
}))
