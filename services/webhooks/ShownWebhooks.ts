import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { type Condition, NotFound } from "../Errors.ts"
import { columnsOf } from "../tables/Column.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { type Webhook, webhookList } from "./Webhook.ts"

export const missing = NotFound.of("webhook")

const text = `SELECT ${columnsOf(webhookList.shape)} FROM ${webhookList.from} WHERE workspace_id = $1 AND id = $3`

/** Returns the webhook as it is shown at the time `now`, or undefined. */
export const shownAt = (sql: PgClient, workspace_id: string, id: string, now: string) =>
  Effect.map(sql.unsafe<Webhook>(text, [workspace_id, now, id]), ([hook]) => hook)

/** Reads the webhook as it is shown, under the lock of the head. Fails with 412 if it does not match the condition. */
export const expected = Effect.fnUntraced(function* (draft: LockedDraft, id: string, condition?: Condition<Webhook>) {
  const hook = yield* Effect.orDie(shownAt(draft.sql, draft.workspace_id, id, draft.now))
  if (hook === undefined) return yield* missing
  if (condition !== undefined) yield* condition(hook)
  return hook
})
