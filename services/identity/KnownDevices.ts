import type { Reads } from "../database/ReachedRows.ts"
import { Effect } from "effect"
import { Invalid } from "../Errors.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import type { Policies } from "../workspaces/Plans.ts"
import { workspaces } from "../workspaces/WorkspaceTables.ts"
import { devices } from "./IdentityTables.ts"

export const foreignDevice = Invalid.field("device.id", "taken", "is another user's device")

/**
 * Whether a device belongs to another user who shares a workspace with the user, or is in one of the user's workspaces.
 * The device ids of unrelated users do not matter.
 */
export const isForeign = (sql: Reads, user_id: string, device_id: string) =>
  Effect.map(
    sql.unsafe(
      `SELECT 1 AS found FROM devices d WHERE d.id = $1 AND d.user_id <> $2 AND EXISTS (
        SELECT FROM members own WHERE own.user_id = $2 AND (own.workspace_id = d.workspace_id OR EXISTS (
          SELECT FROM members other WHERE other.workspace_id = own.workspace_id AND other.user_id = d.user_id
        ))
      ) LIMIT 1`,
      [device_id, user_id]
    ),
    (rows) => rows.length > 0
  )

/** A device that ended, and whether a session was active on it. */
export interface EndedDevice {
  readonly id: string
  readonly isSignedIn: boolean
}

/**
 * Makes room for one more device of a user: beyond the limit the devices that were inactive for longest end, first those
 * without a session, last the `asking` one. The caller ends their sessions. In a locked draft, before the new device is
 * added to it.
 */
export const makeRoom = Effect.fnUntraced(function* (
  draft: LockedDraft,
  user_id: string,
  limits: Policies["limits"],
  asking: string | null = null
) {
  const limit = limits[(yield* draft.get(workspaces))!.plan].devices
  if (limit === 0) return []
  const silent = yield* draft.runSql<EndedDevice & { readonly name: string }>(
    `SELECT id, name, "isSignedIn" FROM (
      SELECT d.id, d.name, s.device_id IS NOT NULL AS "isSignedIn", count(*) OVER () AS count, row_number() OVER (
        ORDER BY d.id = coalesce($5, ''), s.device_id IS NOT NULL, greatest(d.last_sync_at, s.last_active_at), d.id
      ) AS place
      FROM devices d LEFT JOIN (
        SELECT device_id, max(last_active_at) AS last_active_at FROM sessions
        WHERE workspace_id = (SELECT workspace_id FROM users WHERE id = $2) AND user_id = $2 AND expires_at > $3
        GROUP BY device_id
      ) s ON s.device_id = d.id
      WHERE d.workspace_id = $1 AND d.user_id = $2
    ) ranked WHERE place <= count - $4::int AND place <= 200 ORDER BY place`,
    [draft.workspace_id, user_id, draft.now, String(limit - 1), asking]
  )
  for (const { id, name } of silent) end(draft, id, name, "too_many")
  return silent
})

const end = (draft: LockedDraft, id: string, name: string, reason: string): void => {
  draft.remove(devices, id)
  AuditTrail.log(draft, { type: "device.revoked", resource: "device", resource_id: id, data: { name, reason } })
}

/** Devices without a session that have not synced since $1. */
const silentSince = `last_sync_at < $1 AND NOT EXISTS (
    SELECT FROM sessions s JOIN users u ON u.workspace_id = s.workspace_id AND u.id = d.user_id
    WHERE s.user_id = d.user_id AND s.device_id = d.id AND s.expires_at > $2
  )`

/** Inactive devices after a given key, in the order of keys. */
export const silentText = `SELECT workspace_id, id FROM devices d WHERE ${silentSince}
  AND (workspace_id, id) > ($3, $4) ORDER BY workspace_id, id LIMIT $5::int`

/** Ends a device if it is still inactive. In a locked draft. */
export const endSilent = Effect.fnUntraced(function* (draft: LockedDraft, id: string, since: string) {
  const [gone] = yield* draft.runSql<{ readonly name: string }>(
    `DELETE FROM devices d WHERE ${silentSince} AND workspace_id = $3 AND id = $4 RETURNING name`,
    [since, draft.now, draft.workspace_id, id]
  )
  if (gone !== undefined) end(draft, id, gone.name, "silent")
})
