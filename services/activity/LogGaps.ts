import { Clock, Effect } from "effect"
import { eventLife } from "./Events.ts"

const day = 24 * 3_600_000

/**
 * The time from which entries of the log must exist. A day later than the time from which they are kept, as the clocks
 * of nodes differ.
 */
export const logKeptSince = Effect.map(Clock.currentTimeMillis, (now) => new Date(now - eventLife + day).toISOString())

/** A log with missing entries, or one that does not end at the head of its workspace. */
export interface LogGap {
  readonly workspace_id: string
  readonly head: number
  readonly first: number
  readonly last: number
  readonly count: number
  /** The first number that has no entry. */
  readonly hole: number | null
}

/**
 * SQL for the gaps of the logs of the workspaces `s` with their `seq`. `since` is the SQL of the time from which entries
 * must exist. Deleted workspaces are left out, because their rows are erased in batches.
 */
export const logGaps = (
  since: string
): string => `SELECT s.workspace_id, s.seq::float8 AS head, l.first::float8 AS first, l.last::float8 AS last,
    l.count::float8 AS count, (
      SELECT c.seq + 1 FROM changes c WHERE c.workspace_id = s.workspace_id AND c.seq >= l.first AND c.seq < l.last
        AND NOT EXISTS (SELECT FROM changes n WHERE n.workspace_id = c.workspace_id AND n.seq = c.seq + 1)
      ORDER BY c.workspace_id, c.seq LIMIT 1
    )::float8 AS hole
  FROM s JOIN workspaces w ON w.workspace_id = s.workspace_id AND w.deleted_at IS NULL CROSS JOIN LATERAL (
    SELECT min(c.seq) AS first, max(c.seq) AS last, count(*) AS count FROM changes c
    WHERE c.workspace_id = s.workspace_id AND c.seq >= (
      SELECT min(k.seq) FROM changes k WHERE k.workspace_id = s.workspace_id AND k.occurred_at >= ${since}
    )
  ) l WHERE l.count > 0 AND (l.last <> s.seq OR l.count <> l.last - l.first + 1)`
