import { Effect } from "effect"
import * as AuditTrail from "../writer/AuditTrail.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { endKeysOf } from "./ApiKeyEnds.ts"
import type { Member } from "./Member.ts"
import { members } from "./WorkspaceTables.ts"

/** What ends with a membership, or with the right to write (contract 4, 5, 9). In a locked draft. */

/** Ids that an entry of the log lists at most. */
const mostListed = 200

/**
 * Ends the shares that a user made, who may not write any more. An admin can keep one by giving it another end. Returns
 * what the log shows of them, if there are any.
 */
export const endShares = Effect.fnUntraced(function* (draft: LockedDraft, user_id: string) {
  const rows = yield* draft.execute<{ readonly id: string; readonly count: number }>(
    `WITH ended AS (
      UPDATE shares SET expires_at = $3, revision = revision + 1
      WHERE workspace_id = $1 AND created_by = $2 AND (expires_at IS NULL OR expires_at > $3) RETURNING id
    ) SELECT id, count(*) OVER ()::int AS count FROM ended ORDER BY id LIMIT ${mostListed}`,
    [draft.workspace_id, user_id, draft.now]
  )
  const [first] = rows
  return first === undefined ? undefined : { share_count: first.count, shares: rows.map(({ id }) => id) }
})

/** Switches off the webhooks that a user made or changed last, at most the 200 of a workspace. Returns what the log shows. */
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

/** Removes a member from the draft's workspace, and ends the records that end with the membership; the log lists them. */
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
