import { Schema } from "effect"
import { EventType } from "../EventTypes.ts"
import { resourceTypes } from "../Resources.ts"
import * as Fields from "../Fields.ts"

/** An entry of the event log (contract 9). */
export const Event = Schema.Struct({
  id: Fields.ownId("ev"),
  type: EventType.annotateKey({
    description: "The type of the event. Later versions may have more: skip types that you do not know."
  }),
  resource_type: Schema.Literals(resourceTypes).annotate({
    description: "The type of the affected record. Later versions may have more.",
    examples: ["note"]
  }),
  resource_id: Fields.text("The id of the affected record.", Fields.exampleId("nt")),
  workspace_id: Fields.id("ws", "The workspace's id."),
  actor_id: Schema.NullOr(Fields.causer),
  occurred_at: Fields.time("When it happened."),
  data: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)).annotate({
    description: "Details of the event.",
    examples: [{ title: "Meeting notes" }]
  })
}).annotate({ identifier: "Event" })
export type Event = typeof Event.Type
