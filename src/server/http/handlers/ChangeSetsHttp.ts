import { Effect } from "effect"
import { ChangeSets } from "../../../../services/changesets/ChangeSets.ts"
import * as Handlers from "./Handlers.ts"
import * as Respond from "../responses/Respond.ts"

export const ChangeSetsHttp = Handlers.group("changeSets", { sets: ChangeSets }, ({ sets }) => ({
  list: ({ query }) => Effect.flatMap(sets.list(query), Respond.page),
  get: ({ params }) => Effect.flatMap(sets.get(params.id), (found) => Respond.resource(found)),
  records: ({ params, query }) => Effect.flatMap(sets.records(params.id, query), Respond.page),
  revert: Effect.fnUntraced(function* ({ params, payload }) {
    return yield* Respond.resource(yield* sets.revert(params.id, payload ?? {}, yield* Respond.condition), 201)
  }),
  getRevert: ({ params }) => Effect.flatMap(sets.getRevert(params.id), (found) => Respond.resource(found)),
  reverted: ({ params, query }) => Effect.flatMap(sets.reverted(params.id, query), Respond.page)
}))
