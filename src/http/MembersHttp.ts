import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Members } from "../../services/workspaces/Members.ts"
import { Api } from "../api/Api.ts"
import * as Lean from "./Lean.ts"
import * as Respond from "./Respond.ts"

export const MembersHttp = HttpApiBuilder.group(
  Api,
  "members",
  Effect.fn(function* (handlers) {
    const members = yield* Members
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(members.list(query), Respond.page),
      get: ({ params }) => Effect.flatMap(members.get(params.id), (member) => Respond.resource(member)),
      update: Effect.fnUntraced(function* ({ params, payload }) {
        return yield* Respond.resource(yield* members.update(params.id, payload, yield* Respond.condition))
      }),
      delete: Effect.fnUntraced(function* ({ params }) {
        yield* members.delete(params.id, yield* Respond.condition)
        return Respond.deleted(params.id)
      })
    })
  })
).pipe(Lean.handlers(Members))
