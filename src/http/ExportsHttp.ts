import { Effect } from "effect"
import { Exports } from "../../services/transfers/Exports.ts"
import * as Handlers from "./Handlers.ts"
import * as Respond from "./Respond.ts"

export const ExportsHttp = Handlers.group("exports", { exports: Exports }, ({ exports }) => ({
  list: ({ query }) => Effect.flatMap(exports.list(query), Respond.page),
  create: ({ payload }) => Effect.flatMap(exports.create(payload), (made) => Respond.resource(made, 201)),
  get: ({ params }) => Effect.flatMap(exports.get(params.id), (found) => Respond.resource(found))
}))
