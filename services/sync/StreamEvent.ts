import { Schema } from "effect"
import { ChangeEntry } from "./SyncObject.ts"

/** Why a stream ends. */
export const byeReasons = ["shutdown", "token_expired", "revoked", "slow"] as const
export type ByeReason = (typeof byeReasons)[number]

/** What stands in the data of events that are no change. */
const StreamPosition = Schema.Struct({ cursor: Schema.String }).annotate({ identifier: "StreamPosition" })
const StreamEnd = Schema.Struct({ reason: Schema.Literals(byeReasons) }).annotate({ identifier: "StreamEnd" })

/** The data of an event, without its name. */
export const StreamData = Schema.Union([ChangeEntry, StreamPosition, StreamEnd]).annotate({ identifier: "StreamData" })

const event = <const Name extends string, Data extends Schema.Top>(name: Name, data: Data) => ({
  event: Schema.Literal(name),
  data
})

/** One event of the stream (contract 6), with its data read as JSON. */
export const StreamEvent = Schema.Union([
  Schema.Struct({ id: Schema.optionalKey(Schema.String), ...event("ready", StreamPosition) }).annotate({
    identifier: "StreamReady"
  }),
  Schema.Struct({ id: Schema.String, ...event("change", ChangeEntry) }).annotate({ identifier: "StreamChange" }),
  Schema.Struct({ id: Schema.String, ...event("cursor", StreamPosition) }).annotate({ identifier: "StreamCursor" }),
  Schema.Struct(event("bye", StreamEnd)).annotate({ identifier: "StreamBye" })
]).annotate({ identifier: "StreamEvent" })
