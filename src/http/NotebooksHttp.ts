import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Notebooks } from "../../services/notes/Notebooks.ts"
import { Api } from "../api/Api.ts"
import * as Respond from "./Respond.ts"

export const NotebooksHttp = HttpApiBuilder.group(
  Api,
  "notebooks",
  Effect.fn(function*(handlers) {
    const notebooks = yield* Notebooks
    return handlers.handleAll({
      list: ({ query }) => Effect.map(notebooks.list(query), Respond.page),
      create: ({ payload }) => Effect.map(notebooks.create(payload), (notebook) => Respond.value(notebook, 201)),
      get: ({ params }) => Effect.map(notebooks.get(params.id), (notebook) => Respond.value(notebook)),
      update: ({ params, payload }) =>
        Effect.map(notebooks.update(params.id, payload), (notebook) => Respond.value(notebook)),
      delete: ({ params, query }) =>
        Effect.as(notebooks.delete(params.id, query.move_notes_to), Respond.deleted(params.id)),
      move: ({ params, payload }) =>
        Effect.map(notebooks.move(params.id, payload), (notebook) => Respond.value(notebook))
    })
  })
)
