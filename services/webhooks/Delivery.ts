import { Schema } from "effect"
import * as Fields from "../Fields.ts"

/** `pending`: it is still to be tried, or tried again. */
export const deliveryStatuses = ["pending", "succeeded", "failed"] as const

/** Bytes of a body that are kept of a request and of an answer. */
export const keptBytes = 16 * 1024

const headers = Schema.Record(Schema.String, Schema.String)
const body = (whose: string) =>
  Schema.NullOr(Schema.String).annotate({
    description: `The first 16 KiB of its body as text; null when ${whose}.`,
    examples: ["{}"]
  })

/** What was sent, as it is kept. */
export const DeliveryRequest = Schema.Struct({
  url: Fields.text("Where it was sent.", "https://example.com/hooks/sheaf"),
  headers: headers.annotate({
    description: "Its headers, without the signature.",
    examples: [{ "webhook-id": Fields.exampleId("ev"), "webhook-timestamp": "1772366400" }]
  }),
  body: body("what it was about is gone for good")
}).annotate({ identifier: "DeliveryRequest" })
export type DeliveryRequest = typeof DeliveryRequest.Type

/** What came back, as it is kept. */
export const DeliveryResponse = Schema.Struct({
  headers: headers.annotate({
    description: "Its headers, without cookies.",
    examples: [{ "content-type": "text/plain" }]
  }),
  body: body("none came")
}).annotate({ identifier: "DeliveryResponse" })
export type DeliveryResponse = typeof DeliveryResponse.Type

/** An event on its way to a webhook, with its last try (contract 9). */
export const Delivery = Schema.Struct({
  id: Fields.ownId("dl"),
  webhook_id: Fields.id("wh", "The webhook."),
  event_id: Fields.id("ev", "The event: also the `webhook-id` of each try."),
  event_type: Fields.text("The type of the event.", "note.created"),
  attempt: Fields.count("The tries that were made.", 1),
  status: Schema.Literals(deliveryStatuses).annotate({
    description: "`pending` while it is to be tried, or tried again; then `succeeded` or `failed`.",
    examples: ["succeeded"]
  }),
  status_code: Schema.NullOr(Schema.Int).annotate({
    description: "What the last try was answered with; null when no answer came.",
    examples: [200]
  }),
  latency_ms: Schema.NullOr(Schema.Int).annotate({
    description: "How long the last try took, in milliseconds; null before the first.",
    examples: [42]
  }),
  error: Schema.NullOr(Schema.String).annotate({
    description: "Why the last try was no success; null when it was.",
    examples: [null]
  }),
  request: Schema.NullOr(DeliveryRequest).annotateKey({ description: "The last try; null before the first." }),
  response: Schema.NullOr(DeliveryResponse).annotateKey({ description: "Its answer; null when none came." }),
  next_attempt_at: Schema.NullOr(
    Fields.time("When it is tried next; null when it is not, or is being tried.")
  ).annotate({
    examples: [null]
  }),
  created_at: Fields.createdAt
}).annotate({ identifier: "Delivery" })
export type Delivery = typeof Delivery.Type
