import { Schema } from "effect"
import * as Fields from "../Fields.ts"

/** `pending`: it is still to be made. */
export const deliveryStatuses = ["pending", "succeeded", "failed"] as const

/** Maximum number of bytes that are shown of the body of a request, and read of the body of a response. */
export const keptBytes = 16 * 1024
/**
 * Maximum number of bytes that are stored of the body of a response, and of its headers: a row of each attempt is kept for
 * 30 days, and its endpoint decides how much it sends.
 */
export const storedResponseBytes = 2 * 1024

const headers = Schema.Record(Schema.String, Schema.String)

/** What was sent, as it is kept. */
export const DeliveryRequest = Schema.Struct({
  url: Fields.text("Where it was sent.", "https://example.com/hooks/sheaf"),
  headers: headers.annotate({
    description: "Its headers, without the signature.",
    examples: [{ "webhook-id": Fields.exampleId("ev"), "webhook-timestamp": "1772366400" }]
  }),
  body: Fields.text(
    "The first 16 KiB of its body as text. Once what it is about is erased, its `resource` is null.",
    "{}"
  )
}).annotate({ identifier: "DeliveryRequest" })
export type DeliveryRequest = typeof DeliveryRequest.Type

/** What came back, as it is kept. */
export const DeliveryResponse = Schema.Struct({
  headers: headers.annotate({
    description: "Its headers, without cookies: 2 KiB of them.",
    examples: [{ "content-type": "text/plain" }]
  }),
  body: Schema.NullOr(Schema.String).annotate({
    description: "The first 2 KiB of its body as text; null once what the event is about is erased.",
    examples: ["{}"]
  })
}).annotate({ identifier: "DeliveryResponse" })
export type DeliveryResponse = typeof DeliveryResponse.Type

/** An attempt to send an event to a webhook, made or to come (contract 9). */
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
    description: "The status of the response; null when none came.",
    examples: [200]
  }),
  latency_ms: Schema.NullOr(Schema.Int).annotate({
    description: "How long it took, in milliseconds; null before it is made.",
    examples: [42]
  }),
  error: Schema.NullOr(Schema.String).annotate({
    description: "Why it failed; null when it succeeded or is pending.",
    examples: [null]
  }),
  request: Schema.NullOr(DeliveryRequest).annotateKey({ description: "The request; null before it is made." }),
  response: Schema.NullOr(DeliveryResponse).annotateKey({ description: "The response; null when none came." }),
  next_attempt_at: Schema.NullOr(
    Fields.time("When a pending attempt is made; null when it is made, or being made.")
  ).annotate({
    examples: [null]
  }),
  created_at: Fields.createdAt
}).annotate({ identifier: "Delivery" })
export type Delivery = typeof Delivery.Type
