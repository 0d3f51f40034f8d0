import type { EventType } from "../EventTypes.ts"
import type { Scope } from "../identity/Scopes.ts"
import { listOf } from "../lists/ListSpec.ts"
import * as Column from "../tables/Column.ts"
import * as Table from "../tables/Table.ts"
import { asRead } from "../database/TextOrder.ts"
import { ends_with } from "../workspaces/WorkspaceTables.ts"
import { Delivery } from "./Delivery.ts"
import { type DisabledReason, Webhook } from "./Webhook.ts"

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
  sorted: ["created_at", "name", "url", "last_used_at"],
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
