import type { Reads } from "../database/ReachedRows.ts"
import { Effect } from "effect"
import { type Condition, NotFound } from "../Errors.ts"
import { columnsOf } from "../tables/Column.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { type Webhook, webhookList, type WebhookRow } from "./Webhook.ts"

export const missing = NotFound.of("webhook")

const text = `SELECT ${columnsOf(webhookList.shape)} FROM ${webhookList.from} WHERE workspace_id = $1 AND id = $3`

/** Returns the webhook as it is shown at the time `now`, or undefined. */
export const shownAt = (sql: Reads, workspace_id: string, id: string, now: string) =>
  Effect.map(sql.unsafe<Webhook>(text, [workspace_id, now, id]), ([hook]) => hook)

/** Reads the webhook as it is shown, under the lock of the head. Fails with 412 if it does not match the condition. */
export const expected = Effect.fnUntraced(function* (draft: LockedDraft, id: string, condition?: Condition<Webhook>) {
  const hook = yield* Effect.orDie(shownAt(draft.sql, draft.workspace_id, id, draft.now))
  if (hook === undefined) return yield* missing
  if (condition !== undefined) yield* condition(hook)
  return hook
})

/** Returns the row at a time: its credential may have ended, which the dispatcher stores later. */
export const asOf = (row: WebhookRow, now: string): WebhookRow =>
  row.active && row.expires_at !== null && row.expires_at <= now
    ? { ...row, active: false, disabled_reason: "key_ended" }
    : row

/** A row as the response to its creation or change shows it. */
export const shownOf = (
  row: WebhookRow,
  more: Pick<Webhook, "secret" | "last_used_at" | "previous_secret_expires_at">
): Webhook => ({
  id: row.id,
  url: row.url,
  events: row.events,
  secret: more.secret,
  active: row.active,
  disabled_reason: row.disabled_reason,
  previous_secret_expires_at: more.previous_secret_expires_at,
  expires_at: row.expires_at,
  created_by: row.created_by,
  updated_by: row.updated_by,
  last_used_at: more.last_used_at,
  created_at: row.created_at,
  updated_at: row.updated_at
})
