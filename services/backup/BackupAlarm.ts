import { Effect } from "effect"
import { Database } from "../database/Database.ts"
import * as MailTemplates from "../mail/MailTemplates.ts"
import { Outbox } from "../mail/Outbox.ts"
import { interrupted } from "./BackupLeftovers.ts"
import type { State, Timing } from "./BackupState.ts"

/** Scheduled backups do not succeed. */
export interface Alarm {
  /** Why the last attempt failed; undefined if there was none, and a backup is overdue. */
  readonly error: string | undefined
  /** When the last successful backup began, in Unix milliseconds. */
  readonly succeededAt: number | undefined
}

/** A backup is overdue after this number of intervals without a success. */
const overdueAfter = 1.5

const hour = 3_600_000

/**
 * The alarm at a time; undefined if there is none. `since`: when the schedule began on this node, which first has time
 * to make a backup that became overdue while no node was running.
 */
export const alarmOf = (
  { firstAt, succeededAt, unsuccessful }: State,
  { every }: Timing,
  now: number,
  since: number
): Alarm | undefined => {
  const error = unsuccessful?.error === interrupted ? undefined : unsuccessful?.error
  const isOverdue =
    now - (succeededAt ?? firstAt ?? since) > overdueAfter * every && now - since > Math.min(hour, every / 2)
  return error !== undefined || isOverdue ? { error, succeededAt } : undefined
}

const day = 24 * hour

/**
 * The recipient is the owner of the oldest workspace that has one with a confirmed address. The row of `backup_alarms`
 * makes it one mail a day, whichever node sends it. A time in the future is of a clock that was ahead.
 */
const mailText = `WITH owner AS (
    SELECT w.workspace_id, u.email FROM workspaces w
    JOIN members m ON m.workspace_id = w.workspace_id AND m.role = 'owner'
    JOIN users u ON u.id = m.user_id
    WHERE w.deleted_at IS NULL AND u.email_proven
    ORDER BY w.created_at, w.workspace_id, m.created_at, m.id LIMIT 1
  ), due AS (
    INSERT INTO backup_alarms AS a (id, mailed_at) SELECT 1, $1 FROM owner
    ON CONFLICT (id) DO UPDATE SET mailed_at = excluded.mailed_at WHERE a.mailed_at <= $2 OR a.mailed_at > $1
    RETURNING 1
  )
  INSERT INTO mails (workspace_id, id, recipient, sealed, attempts, next_at, created_at)
  SELECT owner.workspace_id, $3, owner.email, $4, $5::int, $6, $7 FROM owner, due RETURNING 1 AS mailed`

/** Sends a mail about an alarm, unless one was sent within a day. */
export const mail = Effect.fnUntraced(function* ({ error, succeededAt }: Alarm, now: number, publicUrl: string) {
  const { write: sql } = yield* Database
  const outbox = yield* Outbox
  const row = outbox.row(
    MailTemplates.backupsFail({
      error,
      succeeded_at: succeededAt === undefined ? undefined : new Date(succeededAt).toISOString(),
      publicUrl
    }),
    now
  )
  const at = new Date(now).toISOString()
  const dayBefore = new Date(now - day).toISOString()
  const { attempts, created_at, id, next_at, sealed } = row
  const sent = yield* sql.unsafe(mailText, [at, dayBefore, id, sealed, String(attempts), next_at, created_at])
  if (sent.length > 0) yield* outbox.wake
})
