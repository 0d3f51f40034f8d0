import { Effect } from "effect"
import { Shares } from "../../../../services/notes/shares/Shares.ts"
import * as Handlers from "./Handlers.ts"
import * as Respond from "../responses/Respond.ts"

export const SharesHttp = Handlers.group("shares", { shares: Shares }, ({ shares }) => ({
  list: ({ query }) => Effect.flatMap(shares.list(query), Respond.page),
  create: ({ payload }) => Effect.flatMap(shares.create(payload), (share) => Respond.resource(share, 201)),
  get: ({ params }) => Effect.flatMap(shares.get(params.id), (share) => Respond.resource(share)),
  update: Effect.fnUntraced(function* ({ params, payload }) {
    return yield* Respond.resource(yield* shares.update(params.id, payload, yield* Respond.condition))
  }),
  delete: Effect.fnUntraced(function* ({ params }) {
    yield* shares.delete(params.id, yield* Respond.condition)
    return Respond.deleted(params.id)
  })
}))
