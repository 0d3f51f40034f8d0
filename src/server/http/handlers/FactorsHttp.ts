import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { Factors } from "../../../../services/identity/factors/Factors.ts"
import { Reauthentication } from "../../../../services/identity/Reauthentication.ts"
import * as Respond from "../responses/Respond.ts"
import * as Handlers from "./Handlers.ts"

/** A response with a secret, which no cache may store. */
const secret = (body: object) => Respond.value(body, 200, { "cache-control": "no-store" })

export const FactorsHttp = Handlers.group(
  "factors",
  { factors: Factors, reauthentication: Reauthentication },
  ({ factors, reauthentication }) => ({
    list: ({ query }) => Effect.flatMap(factors.list(query), Respond.page),
    offer: Effect.fnUntraced(function* ({ payload }) {
      yield* reauthentication.need(payload.current_password)
      return secret(yield* factors.offer(payload.kind))
    }),
    add: Effect.fnUntraced(function* ({ payload }) {
      const added = yield* Respond.resource(yield* factors.add(payload), 201, ["recovery_codes"])
      return HttpServerResponse.setHeader(added, "cache-control", "no-store")
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
      return secret({ recovery_codes: yield* factors.makeCodes })
    })
  })
)
