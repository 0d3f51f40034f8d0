import { Effect } from "effect"
import { Reauthentication } from "../../../../services/identity/Reauthentication.ts"
import { Exports } from "../../../../services/transfers/exports/Exports.ts"
import * as Handlers from "./Handlers.ts"
import * as Respond from "../responses/Respond.ts"

export const ExportsHttp = Handlers.group(
  "exports",
  { exports: Exports, reauthentication: Reauthentication },
  ({ exports, reauthentication }) => ({
    list: ({ query }) => Effect.flatMap(exports.list(query), Respond.page),
    create: Effect.fnUntraced(function* ({ payload }) {
      if (payload.scope === "workspace") yield* reauthentication.need(payload.current_password)
      return yield* Respond.resource(yield* exports.create(payload), 201)
    }),
    get: ({ params }) => Effect.flatMap(exports.get(params.id), (found) => Respond.resource(found))
  })
)
