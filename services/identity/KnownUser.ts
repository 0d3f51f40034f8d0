import type { Reads } from "../database/ReachedRows.ts"
import { Effect } from "effect"
import { groupOf } from "../concurrency/RoundRobinQueue.ts"
import { runSql } from "../database/Database.ts"
import type { WorkspaceId } from "../Ids.ts"
import { networkKeyOf } from "../limits/Network.ts"
import { type UserRow, users } from "./IdentityTables.ts"

/** Milliseconds for which a device or network is known after a user's last activity there: 90 days. */
const knownFor = 90 * 24 * 3600_000

type KnownUser = UserRow & {
  readonly workspace_id: WorkspaceId
  readonly has_device: boolean
  readonly ips: ReadonlyArray<string | null> | null
}

/** A user, the addresses of their recent sessions, and whether the device is one of theirs. */
const findText = `SELECT workspace_id, ${users.columnList},
    EXISTS (SELECT FROM devices d WHERE d.workspace_id = users.workspace_id AND d.id = $2 AND d.user_id = users.id)
      AS has_device,
    (SELECT array_agg(DISTINCT s.ip) FROM sessions s WHERE s.workspace_id = users.workspace_id AND s.user_id = users.id
      AND s.app IS NULL AND s.last_active_at > $3) AS ips
  FROM users WHERE email_key = $1`

/** Finds the user of an address, for a sign-in on a device at the time `now`. */
export const findUser = (sql: Reads, email_key: string, device_id: string | undefined, now: number) =>
  Effect.map(
    runSql<KnownUser>(sql, findText, [email_key, device_id ?? "", new Date(now - knownFor).toISOString()]),
    ([user]) => user
  )

/**
 * Whether the user was recently signed in on this device or from this network. That the account exists is not enough: the
 * response time would reveal to an attacker which accounts exist.
 */
export const isKnown = ({ has_device, ips }: KnownUser, ip: string | null): boolean =>
  has_device || (ips ?? []).some((each) => groupOf(networkKeyOf(each)) === groupOf(networkKeyOf(ip)))
