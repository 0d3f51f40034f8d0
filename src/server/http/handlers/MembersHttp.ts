import { Effect } from "effect"
import { Reauthentication } from "../../../../services/identity/Reauthentication.ts"
import { Members } from "../../../../services/workspaces/Members.ts"
import * as Handlers from "./Handlers.ts"
import * as Respond from "../responses/Respond.ts"

export const MembersHttp = Handlers.group(
  "members",
  { members: Members, reauthentication: Reauthentication },
  ({ members, reauthentication }) => ({
    list: ({ query }) => Effect.flatMap(members.list(query), Respond.page),
    get: ({ params }) => Effect.flatMap(members.get(params.id), (member) => Respond.resource(member)),
    update: Effect.fnUntraced(function* ({ params, payload }) {
      if (payload.role === "owner") yield* reauthentication.need(payload.current_password)
      return yield* Respond.resource(yield* members.update(params.id, payload, yield* Respond.condition))
    }),
    delete: Effect.fnUntraced(function* ({ params }) {
      yield* members.delete(params.id, yield* Respond.condition)
      return Respond.deleted(params.id)
    })
  })
)
