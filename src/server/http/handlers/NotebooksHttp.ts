import { Effect } from "effect"
import { Notebooks } from "../../../../services/notes/notebooks/Notebooks.ts"
import * as Handlers from "./Handlers.ts"
import * as Respond from "../responses/Respond.ts"

export const NotebooksHttp = Handlers.group("notebooks", { notebooks: Notebooks }, ({ notebooks }) => ({
  list: ({ query }) => Effect.flatMap(notebooks.list(query), Respond.page),
  create: ({ payload }) => Effect.flatMap(notebooks.create(payload), (notebook) => Respond.resource(notebook, 201)),
  get: ({ params }) => Effect.flatMap(notebooks.get(params.id), (notebook) => Respond.resource(notebook)),
  update: Effect.fnUntraced(function* ({ params, payload }) {
    return yield* Respond.resource(yield* notebooks.update(params.id, payload, yield* Respond.condition))
  }),
  delete: Effect.fnUntraced(function* ({ params, query }) {
    yield* notebooks.delete(params.id, query.move_notes_to, yield* Respond.condition)
    return Respond.deleted(params.id)
  }),
  move: Effect.fnUntraced(function* ({ params, payload }) {
    return yield* Respond.resource(yield* notebooks.move(params.id, payload, yield* Respond.condition))
  }),
  restore: Effect.fnUntraced(function* ({ params, payload }) {
    return yield* Respond.resource(yield* notebooks.restore(params.id, payload ?? {}, yield* Respond.condition))
  })
}))
