import { interrupted } from "./BackupLeftovers.ts"
import type { State } from "./BackupState.ts"

/** Scheduled backups or drills do not succeed. */
export interface Alarm {
  /** Why the last attempt failed; undefined if there was none, and the next is overdue. */
  readonly error: string | undefined
  /** When the last successful one began, in Unix milliseconds. */
  readonly succeededAt: number | undefined
}

/** An attempt is overdue after this number of intervals without a success. */
const overdueAfter = 1.5

const hour = 3_600_000

/**
 * The alarm at a time; undefined if there is none. `since`: when the schedule began on this node, which first has time
 * to make an attempt that became overdue while no node was running.
 */
export const alarmOf = (
  { firstAt, succeededAt, unsuccessful }: State,
  every: number,
  now: number,
  since: number
): Alarm | undefined => {
  const error = unsuccessful?.error === interrupted ? undefined : unsuccessful?.error
  const isOverdue =
    now - (succeededAt ?? firstAt ?? since) > overdueAfter * every && now - since > Math.min(hour, every / 2)
  return error !== undefined || isOverdue ? { error, succeededAt } : undefined
}
