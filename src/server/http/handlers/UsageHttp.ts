import { Effect } from "effect"
import { Usages } from "../../../../services/activity/Usages.ts"
import * as Handlers from "./Handlers.ts"
import * as Respond from "../responses/Respond.ts"

export const UsageHttp = Handlers.group("usage", { usages: Usages }, ({ usages }) => ({
  get: () => Effect.map(usages.get(), (usage) => Respond.value(usage))
}))
