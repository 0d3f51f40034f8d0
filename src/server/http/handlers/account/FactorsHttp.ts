import { Effect } from "effect"
import { Factors } from "../../../../../services/identity/factors/Factors.ts"
import { Reauthentication } from "../../../../../services/identity/Reauthentication.ts"
import * as Respond from "../../responses/Respond.ts"
import * as Handlers from "../Handlers.ts"

export const FactorsHttp = Handlers.group(
  "factors",
  { factors: Factors, reauthentication: Reauthentication },
  ({ factors, reauthentication }) => ({
    list: ({ query }) => Effect.flatMap(factors.list(query), Respond.page),
    offer: Effect.fnUntraced(function* ({ payload }) {
      yield* reauthentication.need(payload.current_password)
      return Respond.secret(yield* factors.offer(payload.kind))
    }),
    add: Effect.fnUntraced(function* ({ payload }) {
      return Respond.asSecret(yield* Respond.resource(yield* factors.add(payload), 201, ["recovery_codes"]))
    }),
    rename: Effect.fnUntraced(function* ({ params, payload }) {
      return yield* Respond.resource(yield* factors.rename(params.id, payload.name, yield* Respond.condition))
    }),
    delete: Effect.fnUntraced(function* ({ params, payload }) {
      yield* reauthentication.need(payload?.current_password)
      yield* factors.remove(params.id, yield* Respond.condition)
      return Respond.deleted(params.id)
    }),
    codes: () => Effect.map(factors.codesLeft, (left) => Respond.value({ left })),
    makeCodes: Effect.fnUntraced(function* ({ payload }) {
      yield* reauthentication.need(payload?.current_password)
      return Respond.secret({ recovery_codes: yield* factors.makeCodes })
    })
  })
)
