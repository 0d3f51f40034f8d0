import { Effect } from "effect"
import { Templates } from "../../../../services/notes/templates/Templates.ts"
import * as Handlers from "./Handlers.ts"
import * as Respond from "../responses/Respond.ts"

export const TemplatesHttp = Handlers.group("templates", { templates: Templates }, ({ templates }) => ({
  list: ({ query }) => Effect.flatMap(templates.list(query), Respond.page),
  create: ({ payload }) => Effect.flatMap(templates.create(payload), (template) => Respond.resource(template, 201)),
  get: ({ params }) => Effect.flatMap(templates.get(params.id), (template) => Respond.resource(template)),
  update: Effect.fnUntraced(function* ({ params, payload }) {
    return yield* Respond.resource(yield* templates.update(params.id, payload, yield* Respond.condition))
  }),
  delete: Effect.fnUntraced(function* ({ params }) {
    yield* templates.delete(params.id, yield* Respond.condition)
    return Respond.deleted(params.id)
  }),
  apply: Effect.fnUntraced(function* ({ params, payload }) {
    const note = yield* templates.apply(params.id, payload ?? {}, yield* Respond.condition)
    return yield* Respond.note(note.id, note.version, JSON.stringify(note))
  })
}))
