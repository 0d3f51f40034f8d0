import { Effect } from "effect"
import * as AuditTrail from "../writer/AuditTrail.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { endKeysOf } from "./ApiKeyEnds.ts"
import type { Member } from "./Member.ts"
import { members } from "./WorkspaceTables.ts"

/** Ends the records that depend on a membership or the right to write (contract 4, 5, 9). In a locked draft. */

/** Maximum number of ids in a log entry. */
const maxListed = 200

/**
 * Ends the shares of a user who may no longer write. An admin can revive a share with a new expiry. Returns the data for
 * the log entry, or undefined if there are none.
 */
export const endShares = Effect.fnUntraced(function* (draft: LockedDraft, user_id: string) {
  const rows = yield* draft.execute<{ readonly id: string; readonly count: number }>(
    `WITH ended AS (
      UPDATE shares SET expires_at = $3, revision = greatest(revision + 1, $4::int)
      WHERE workspace_id = $1 AND created_by = $2 AND (expires_at IS NULL OR expires_at > $3) RETURNING id
    ) SELECT id, count(*) OVER ()::int AS count FROM ended ORDER BY id LIMIT ${maxListed}`,
    [draft.workspace_id, user_id, draft.now, String(draft.head.least_revision)]
  )
  const [first] = rows
  return first === undefined ? undefined : { share_count: first.count, shares: rows.map(({ id }) => id) }
})

/** Disables the webhooks that a user created or last changed, at most the 200 of a workspace. Returns log data. */
const endWebhooks = Effect.fnUntraced(function* (draft: LockedDraft, user_id: string) {
  const rows = yield* draft.execute<{
    readonly id: string
    readonly url: string
    readonly events: ReadonlyArray<string>
  }>(
    `UPDATE webhooks SET active = false, disabled_reason = 'creator_left', updated_at = $3
    WHERE workspace_id = $1 AND active AND (created_by = $2 OR updated_by = $2) RETURNING id, url, events`,
    [draft.workspace_id, user_id, draft.now]
  )
  for (const { events, id, url } of rows) {
    AuditTrail.log(draft, {
      type: "webhook.disabled",
      resource: "webhook",
      resource_id: id,
      data: { host: new URL(url).host, events, reason: "creator_left" }
    })
  }
  return rows.length === 0 ? undefined : { webhooks: rows.map(({ id }) => id) }
})

/** Removes a member from the draft's workspace and ends the records that depend on the membership; the log lists them. */
export const leave = Effect.fnUntraced(function* (
  draft: LockedDraft,
  { email, id, role, user_id }: Pick<Member, "email" | "id" | "role" | "user_id">,
  more?: object
) {
  yield* endKeysOf(draft, user_id, more)
  const shares = yield* endShares(draft, user_id)
  const webhooks = yield* endWebhooks(draft, user_id)
  draft.remove(members, id)
  AuditTrail.log(draft, {
    type: "member.removed",
    resource: "member",
    resource_id: id,
    data: { user_id, email, role, ...webhooks, ...shares, ...more }
  })
})
