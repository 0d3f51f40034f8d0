import { Schema } from "effect"
import * as Fields from "../Fields.ts"
import { urlLength } from "../outgoing/UrlRules.ts"
import * as Text from "../Text.ts"
import { patterns } from "./EventPatterns.ts"
import { keyOf } from "./Signature.ts"

/** Why the server disabled a webhook (contract 9). */
export const disabledReasons = ["gone", "failing", "creator_left", "key_ended"] as const
export type DisabledReason = (typeof disabledReasons)[number]

const url = {
  description: "The endpoint: an https URL of a public host, without a user name.",
  examples: ["https://example.com/hooks/sheaf"]
}
const events = {
  description: "The events to send: types such as `note.created`, all of a resource as `note.*`, or all as `*`.",
  examples: [["note.created", "notebook.*"]]
}
const active = { description: "Whether deliveries are sent.", examples: [true] }
const exampleSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="

/** A webhook (contract 9). */
export const Webhook = Schema.Struct({
  id: Fields.ownId("wh"),
  url: Schema.String.annotate(url),
  events: Schema.Array(Schema.String).annotate(events),
  secret: Schema.NullOr(Schema.String).annotate({
    description:
      "The secret for signatures by Standard Webhooks 1.0. Shown only when it is created or changed, else null.",
    examples: [exampleSecret]
  }),
  active: Schema.Boolean.annotate(active),
  disabled_reason: Schema.NullOr(
    Schema.Literals(disabledReasons).annotate({
      description:
        "Why the server deactivated it: its endpoint responded with 410 (`gone`), all deliveries failed for five days (`failing`), the user who made it or last changed it left the workspace (`creator_left`), or the API key that made it or last changed it ended (`key_ended`)."
    })
  ).annotate({ examples: [null] }),
  previous_secret_expires_at: Schema.NullOr(
    Fields.time("Until when deliveries are also signed with the previous secret, else null.")
  ).annotate({ examples: [null] }),
  expires_at: Schema.NullOr(
    Fields.time(
      "When it is deactivated, with the API key that made it or last changed it; null if that credential does not expire."
    )
  ).annotate({ examples: [null] }),
  created_by: Schema.NullOr(
    Fields.id(
      "us",
      "The user who made it, or the user who changed it after that user had left; null for the operator, or if no longer known."
    )
  ),
  updated_by: Schema.NullOr(
    Fields.id("us", "The user who last changed it; null for the operator, or if no longer known.")
  ),
  last_used_at: Schema.NullOr(Fields.time("When its endpoint last accepted a delivery, to the minute; null if never.")),
  created_at: Fields.createdAt,
  updated_at: Fields.updatedAt
}).annotate({ identifier: "Webhook" })
export type Webhook = typeof Webhook.Type

const known: ReadonlySet<string> = new Set(patterns)
const Pattern = Schema.String.check(
  Text.checked(
    "unknown",
    "must be an event type such as note.created, all types of a resource such as note.*, or *",
    (text) => known.has(text),
    {}
  )
)
const mostPatterns = 200

const writable = {
  url: Text.Text.annotate({ ...url, maxLength: urlLength }),
  events: Schema.Array(Pattern)
    .check(
      Schema.makeFilter<ReadonlyArray<string>>((items) => items.length > 0, {
        message: "must contain at least one event type",
        issueCode: "too_short",
        toJsonSchema: () => ({ minItems: 1 })
      }),
      Text.atMost(mostPatterns)
    )
    .annotate(events),
  secret: Schema.optionalKey(
    Schema.NullOr(
      Schema.String.check(
        Text.checked("invalid", "must be whsec_ and 24 to 64 bytes in base64", (text) => keyOf(text) !== undefined, {
          maxLength: 100
        })
      )
    ).annotate({
      description: "Your own secret, `whsec_` and 24 to 64 bytes in base64. Default: a generated one.",
      examples: [exampleSecret]
    })
  ),
  active: Schema.optionalKey(Schema.Boolean.annotate(active))
}

export const WebhookCreate = Schema.Struct({ ...writable, current_password: Fields.currentPassword }).annotate({
  identifier: "WebhookCreate"
})
export type WebhookCreate = typeof WebhookCreate.Type

export const WebhookUpdate = Schema.Struct({
  ...writable,
  url: Schema.optionalKey(writable.url),
  events: Schema.optionalKey(writable.events),
  rotate_secret: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Creates a new secret, which the response shows. Deliveries are signed with both for 24 hours.",
      examples: [true]
    })
  )
}).annotate({ identifier: "WebhookUpdate" })
export type WebhookUpdate = typeof WebhookUpdate.Type

/** A test uses only the id in its path: the members of the body are ignored. */
export const WebhookTest = Schema.Struct({
  url: Schema.optionalKey(Text.Ignored),
  events: Schema.optionalKey(Text.Ignored),
  secret: Schema.optionalKey(Text.Ignored),
  active: Schema.optionalKey(Text.Ignored)
}).annotate({ identifier: "WebhookTest" })
