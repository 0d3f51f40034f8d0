import { Effect } from "effect"
import { Events } from "../../../../services/activity/Events.ts"
import * as Handlers from "./Handlers.ts"
import * as Respond from "../responses/Respond.ts"

export const EventsHttp = Handlers.group("events", { events: Events }, ({ events }) => ({
  list: ({ query }) => Effect.flatMap(events.list(query), Respond.page),
  get: ({ params }) => Effect.flatMap(events.get(params.id), (event) => Respond.resource(event))
}))
