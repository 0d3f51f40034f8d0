import { Schema } from "effect"
import * as Fields from "../Fields.ts"
import { Reminder } from "../notes/reminders/Reminder.ts"
import { ChangeEntry } from "./SyncObject.ts"

/** Reasons for the end of a stream. */
const byeReasons = ["shutdown", "token_expired", "revoked", "slow", "restored", "notebooks"] as const
export type ByeReason = (typeof byeReasons)[number]

/** The data of events that are no change. */
const StreamPosition = Schema.Struct({ cursor: Fields.cursor }).annotate({ identifier: "StreamPosition" })
const StreamEnd = Schema.Struct({
  reason: Schema.Literals(byeReasons).annotate({ description: "Why the server ends the stream." })
}).annotate({ identifier: "StreamEnd" })

/** The data of an event, without its name. */
export const StreamData = Schema.Union([ChangeEntry, StreamPosition, Reminder, StreamEnd]).annotate({
  identifier: "StreamData"
})

const event = <const Name extends string, Data extends Schema.Top>(name: Name, data: Data) => ({
  event: Schema.Literal(name).annotate({ description: "The event's name." }),
  data: data.annotateKey({ description: "Its data, parsed as JSON." })
})

const id = Schema.String.annotate({
  description: "The cursor after the event: send it as `Last-Event-ID` to resume from here."
})

/** One event of the stream (contract 6), with its data read as JSON. */
export const StreamEvent = Schema.Union([
  Schema.Struct({ id: Schema.optionalKey(id), ...event("ready", StreamPosition) }).annotate({
    identifier: "StreamReady"
  }),
  Schema.Struct({ id, ...event("change", ChangeEntry) }).annotate({ identifier: "StreamChange" }),
  Schema.Struct({ id, ...event("cursor", StreamPosition) }).annotate({ identifier: "StreamCursor" }),
  Schema.Struct(event("reminder", Reminder)).annotate({ identifier: "StreamReminder" }),
  Schema.Struct(event("bye", StreamEnd)).annotate({ identifier: "StreamBye" })
]).annotate({ identifier: "StreamEvent" })
