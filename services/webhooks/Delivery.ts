import { Schema } from "effect"
import * as Fields from "../Fields.ts"

/** `pending`: not made yet. */
const deliveryStatuses = ["pending", "succeeded", "failed"] as const

/** Maximum number of bytes of a request's body that are shown, and of a response's body that are read. */
export const keptBytes = 16 * 1024
/**
 * Maximum number of bytes of a response's body that are stored, and of its headers: the endpoint decides how much it
 * sends, and each attempt has a row for 30 days.
 */
export const storedResponseBytes = 2 * 1024

const headers = Schema.Record(Schema.String, Schema.String)

/** The stored request of an attempt. */
export const DeliveryRequest = Schema.Struct({
  url: Fields.text("The URL of the endpoint.", "https://example.com/hooks/sheaf"),
  headers: headers.annotate({
    description: "Its headers, without the signature.",
    examples: [{ "webhook-id": Fields.exampleId("ev"), "webhook-timestamp": "1772366400" }]
  }),
  body: Fields.text(
    "The first 16 KiB of its body as text. Its `resource` is null after the affected record is erased.",
    "{}"
  )
}).annotate({ identifier: "DeliveryRequest" })
export type DeliveryRequest = typeof DeliveryRequest.Type

/** The stored response of an attempt. */
export const DeliveryResponse = Schema.Struct({
  headers: headers.annotate({
    description: "Its headers without cookies, at most 2 KiB.",
    examples: [{ "content-type": "text/plain" }]
  }),
  body: Schema.NullOr(Schema.String).annotate({
    description: "The first 2 KiB of its body as text; null after the affected record is erased.",
    examples: ["{}"]
  })
}).annotate({ identifier: "DeliveryResponse" })
export type DeliveryResponse = typeof DeliveryResponse.Type

/** A past or future attempt to send an event to a webhook (contract 9). */
export const Delivery = Schema.Struct({
  id: Fields.ownId("dl"),
  webhook_id: Fields.id("wh", "The webhook."),
  event_id: Fields.id("ev", "The event: also the `webhook-id` of each attempt."),
  event_type: Fields.text("The type of the event.", "note.created"),
  attempt: Fields.count("Its number among the attempts to send this event, from 1.", 1),
  status: Schema.Literals(deliveryStatuses).annotate({
    description: "`pending` until it is made; then `succeeded` or `failed`.",
    examples: ["succeeded"]
  }),
  status_code: Schema.NullOr(Schema.Int).annotate({
    description: "The status of the response; null without a response.",
    examples: [200]
  }),
  latency_ms: Schema.NullOr(Schema.Int).annotate({
    description: "The duration in milliseconds; null before it is made.",
    examples: [42]
  }),
  error: Schema.NullOr(Schema.String).annotate({
    description: "Why it failed; null when it succeeded or is pending.",
    examples: [null]
  }),
  request: Schema.NullOr(DeliveryRequest).annotateKey({ description: "The request; null before it is made." }),
  response: Schema.NullOr(DeliveryResponse).annotateKey({ description: "The response; null if there was none." }),
  next_attempt_at: Schema.NullOr(
    Fields.time("When a pending attempt is made; null when it is made, or being made.")
  ).annotate({
    examples: [null]
  }),
  created_at: Fields.createdAt
}).annotate({ identifier: "Delivery" })
export type Delivery = typeof Delivery.Type
