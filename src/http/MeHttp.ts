import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Accounts } from "../../services/identity/Accounts.ts"
import { Sessions } from "../../services/identity/Sessions.ts"
import { Api } from "../api/Api.ts"
import * as Lean from "./Lean.ts"
import * as Respond from "./Respond.ts"

export const MeHttp = HttpApiBuilder.group(
  Api,
  "me",
  Effect.fn(function* (handlers) {
    const accounts = yield* Accounts
    const sessions = yield* Sessions
    return handlers.handleAll({
      get: () => Effect.flatMap(accounts.get, (user) => Respond.resource(user)),
      update: Effect.fnUntraced(function* ({ payload }) {
        return yield* Respond.resource(yield* accounts.update(payload, yield* Respond.condition))
      }),
      sessions: ({ query }) => Effect.flatMap(sessions.list(query), Respond.page),
      deleteSession: Effect.fnUntraced(function* ({ params }) {
        yield* sessions.delete(params.id, yield* Respond.condition)
        return Respond.deleted(params.id)
      })
    })
  })
).pipe(Lean.handlers(Accounts, Sessions))
