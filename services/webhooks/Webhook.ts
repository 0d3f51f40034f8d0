import { Effect, Schema } from "effect"
import { asRead } from "../database/TextOrder.ts"
import { Forbidden } from "../Errors.ts"
import { type EventType, eventTypes } from "../EventTypes.ts"
import * as Fields from "../Fields.ts"
import type { Scope } from "../identity/Scopes.ts"
import { listOf } from "../lists/ListSpec.ts"
import { urlLength } from "../outgoing/UrlRules.ts"
import type { PrincipalShape } from "../Principal.ts"
import * as Column from "../tables/Column.ts"
import * as Table from "../tables/Table.ts"
import * as Text from "../Text.ts"
import { ends_with } from "../workspaces/WorkspaceTables.ts"
import { Delivery } from "./Delivery.ts"
import { keyOf } from "./Signature.ts"

/** Patterns of a subscription: `note.created`, all types of a resource as `note.*`, or all types as `*`. */
export const patterns: ReadonlyArray<string> = [
  "*",
  ...new Set(eventTypes.map((type) => `${type.slice(0, type.indexOf(".") + 1)}*`)).difference(new Set(["*"])),
  ...eventTypes
]

/** Why the server disabled a webhook (contract 9). */
const disabledReasons = ["gone", "failing", "creator_left", "key_ended"] as const
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
const maxPatterns = 200

const writable = {
  url: Text.Text.annotate({ ...url, maxLength: urlLength }),
  events: Schema.Array(Pattern)
    .check(
      Schema.makeFilter<ReadonlyArray<string>>((items) => items.length > 0, {
        message: "must contain at least one event type",
        issueCode: "too_short",
        toJsonSchema: () => ({ minItems: 1 })
      }),
      Text.atMost(maxPatterns)
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

export const webhooks = Table.make(
  "webhooks",
  {
    id: Column.text(),
    url: Column.text(),
    events: Column.texts<EventType>(),
    /** The scopes of the user who last changed it. It receives only events that these may read. */
    scopes: Column.texts<Scope>(),
    /** Encrypted. */
    secret: Column.text(),
    /** Encrypted. It signs too until it expires. */
    previous_secret: Column.nullable(Column.text()),
    previous_secret_expires_at: Column.nullable(Column.text()),
    active: Column.boolean,
    disabled_reason: Column.nullable(Column.text<DisabledReason>()),
    /** The users who created it and changed it last. It is disabled when one of them leaves. */
    created_by: Column.nullable(Column.text()),
    updated_by: Column.nullable(Column.text()),
    /** The end of the credential that created it or changed it last. The dispatcher then disables the webhook. */
    expires_at: Column.nullable(Column.text()),
    ends_with,
    created_at: Column.text(),
    updated_at: Column.text()
  },
  { key: ["id"] }
)
export type WebhookRow = Table.Row<typeof webhooks>

/** The start position of a webhook. Only the dispatcher uses the other columns. */
export const cursors = Table.make(
  "webhook_cursors",
  { webhook_id: Column.text(), position: Column.bigint, failing_since: Column.nullable(Column.text()) },
  { key: ["webhook_id"] }
)

/** Webhooks, with their status at the time $2. */
export const webhookList = listOf(Webhook, {
  path: "/webhooks",
  from: `(SELECT w.workspace_id, w.id, w.url, w.events, NULL::text AS secret,
      w.active AND coalesce(w.expires_at > $2::text, true) AS active,
      CASE WHEN w.active AND w.expires_at <= $2::text THEN 'key_ended' ELSE w.disabled_reason END AS disabled_reason,
      CASE WHEN w.previous_secret_expires_at > $2::text THEN w.previous_secret_expires_at END
        AS previous_secret_expires_at,
      w.expires_at, w.created_by, w.updated_by, c.last_used_at, w.created_at, w.updated_at
    FROM webhooks w JOIN webhook_cursors c ON c.workspace_id = w.workspace_id AND c.webhook_id = w.id) hooks`,
  sort: ["-created_at", "name", "url", "last_used_at"],
  filter: ["id", "name", "url", "active", "created_at", "last_used_at"],
  words: ["url"],
  // A workspace has at most 200.
  unindexedSorts: ["created_at", "name", "url", "last_used_at"],
  sorts: { name: { sql: asRead("url"), type: "text" } },
  filters: { name: { type: "text", sql: "url" } }
})

export const deliveryList = listOf(Delivery, {
  path: "/deliveries",
  from: `(SELECT workspace_id, webhook_id, id, event_id, event_type, attempt, status, status_code, latency_ms, error,
      CASE WHEN request IS NULL THEN NULL ELSE json_build_object('url', request -> 'url', 'headers', request -> 'headers',
        'body', left(body, 16384)) END AS request,
      response, next_attempt_at, created_at
    FROM webhook_deliveries) tries`,
  size: "70000",
  sort: ["-created_at"],
  filter: ["id", "event_id", "event_type", "status", "status_code", "attempt", "created_at"],
  words: ["event_type"],
  enums: ["status"],
  indexed: { created_at: "order" }
})

/** A webhook only receives events that the user who sets it up may read (contract 9). */

/** The rights to read events, from another folder. */
export interface EventRights {
  /** Returns the types of resources whose events a caller may read. */
  readonly readableBy: (caller: Pick<PrincipalShape, "role" | "scopes">) => ReadonlyArray<string>
  /** Returns the scopes, one of which is required to read the events of a resource. */
  readonly scopesFor: (resource: string) => ReadonlyArray<Scope>
}

/** Returns the resource of an event type. A sync conflict belongs to notes. */
const resourceOf = (type: string): string =>
  type === "ping" ? "webhook" : type === "sync.conflict" ? "note" : type.slice(0, type.indexOf("."))

/** Refuses event types that the caller may not read. `*` is not refused: it only includes types that they may read. */
export const needReadable = Effect.fnUntraced(function* (
  rights: EventRights,
  principal: PrincipalShape,
  events: ReadonlyArray<string>
) {
  const readable = rights.readableBy(principal)
  const beyond = typesOf(events.filter((pattern) => pattern !== "*"))
    .map(resourceOf)
    .find((resource) => resource !== "webhook" && !readable.includes(resource))
  if (beyond === undefined) return
  const required = rights.scopesFor(beyond)
  return yield* new Forbidden({
    code: "insufficient_scope",
    detail: `Events of the resource ${beyond} need one of the scopes: ${required.join(", ")}`,
    extra: { required_scopes: required }
  })
})

/** Returns the event types that match patterns. */
export const typesOf = (given: ReadonlyArray<string>): ReadonlyArray<EventType> =>
  eventTypes.filter((type) => given.some((pattern) => pattern === "*" || pattern === type || isIn(type, pattern)))

const isIn = (type: EventType, pattern: string): boolean =>
  pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1))
