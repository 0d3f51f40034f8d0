import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Events } from "../../services/activity/Events.ts"
import { Api } from "../api/Api.ts"
import * as Lean from "./Lean.ts"
import * as Respond from "./Respond.ts"

export const EventsHttp = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fn(function* (handlers) {
    const events = yield* Events
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(events.list(query), Respond.page),
      get: ({ params }) => Effect.flatMap(events.get(params.id), (event) => Respond.resource(event))
    })
  })
).pipe(Lean.handlers(Events))
