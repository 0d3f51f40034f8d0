import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Usages } from "../../services/activity/Usages.ts"
import { Api } from "../api/Api.ts"
import * as Lean from "./Lean.ts"
import * as Respond from "./Respond.ts"

export const UsageHttp = HttpApiBuilder.group(
  Api,
  "usage",
  Effect.fn(function* (handlers) {
    const usages = yield* Usages
    return handlers.handleAll({
      get: () => Effect.map(usages.get(), (usage) => Respond.value(usage))
    })
  })
).pipe(Lean.handlers(Usages))
