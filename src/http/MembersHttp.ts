import { Effect } from "effect"
import { Members } from "../../services/workspaces/Members.ts"
import * as Handlers from "./Handlers.ts"
import * as Respond from "./Respond.ts"

export const MembersHttp = Handlers.group("members", { members: Members }, ({ members }) => ({
  list: ({ query }) => Effect.flatMap(members.list(query), Respond.page),
  get: ({ params }) => Effect.flatMap(members.get(params.id), (member) => Respond.resource(member)),
  update: Effect.fnUntraced(function* ({ params, payload }) {
    return yield* Respond.resource(yield* members.update(params.id, payload, yield* Respond.condition))
  }),
  delete: Effect.fnUntraced(function* ({ params }) {
    yield* members.delete(params.id, yield* Respond.condition)
    return Respond.deleted(params.id)
  })
}))
