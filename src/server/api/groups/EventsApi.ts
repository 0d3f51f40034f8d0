import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Event, eventList } from "../../../../services/activity/Event.ts"
import { scopes } from "../../../../services/identity/Scopes.ts"
import { reads, withinReach } from "../Authorization.ts"
import { id, list, page } from "../Envelopes.ts"
import { describing, listing, operations } from "../Operation.ts"

/** Any scope is enough: the caller's scopes determine which events are listed (contract 4). */
const read = operations(withinReach(reads(...scopes)))

export class EventsApi extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(Event) }).annotateMerge(
      read(
        "listEvents",
        "List events",
        "Newest first. With `sort=occurred_at` the oldest comes first, and `next_cursor` is always a " +
          "string: store it and send it with the next request to get each event once. After a restore of the " +
          "server it gets 410, whose `restored` says what the log no longer has. Only events of " +
          "resources that the credential may read are listed. Events are kept for 90 days.",
        { ...listing(eventList), codes: ["cursor_expired"] }
      )
    ),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: Event }).annotateMerge(
      read("getEvent", "Get an event", "Returns 404 also if the credential may not read its resource.")
    )
  )
  .prefix("/events")
  .annotateMerge(describing("Events", "The append-only log of changes in the workspace.")) {}
