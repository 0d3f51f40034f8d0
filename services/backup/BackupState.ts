import { Effect } from "effect"
import { isBackupRunning } from "../database/BackupLocks.ts"
import { Database } from "../database/Database.ts"
import { interrupted } from "./BackupLeftovers.ts"

/** A schedule of backups. */
export interface Timing {
  /** The directory, or the s3:// URL without a slash at its end. Only backups in it count. */
  readonly to: string
  /** Milliseconds from the start of a backup to the start of the next one. */
  readonly every: number
}

/** The attempts of a schedule. Times are Unix milliseconds. */
export interface State {
  /** When the last successful backup began. */
  readonly succeededAt: number | undefined
  /** When the first recorded attempt of the schedule began. */
  readonly firstAt: number | undefined
  /** The attempt of the schedule since then, which has not succeeded. */
  readonly unsuccessful: { readonly at: number; readonly error: string } | undefined
  /** Whether a backup of this database is running. */
  readonly isRunning: boolean
}

interface Row {
  readonly succeeded_at: string | null
  readonly first_at: string | null
  readonly started_at: string | null
  readonly ended_at: string | null
  readonly error: string | null
  readonly is_running: boolean
}

/** Attempts in the future do not count: a clock was ahead when they began. */
const stateText = `WITH mine AS MATERIALIZED (
    SELECT * FROM backups WHERE starts_with(target, $1) AND started_at <= $2
  )
  SELECT (SELECT max(started_at) FROM mine WHERE bytes IS NOT NULL) AS succeeded_at,
    (SELECT min(started_at) FROM mine WHERE kind = 'scheduled') AS first_at,
    last.started_at, last.ended_at, last.error, ${isBackupRunning} AS is_running
  FROM (SELECT) AS one LEFT JOIN LATERAL (
    SELECT * FROM mine WHERE kind = 'scheduled' ORDER BY started_at DESC LIMIT 1
  ) last ON true`

const millis = (time: string | null): number | undefined => (time === null ? undefined : Date.parse(time))

export const stateAt = Effect.fnUntraced(function* ({ to }: Timing, now: number) {
  const { write: sql } = yield* Database
  const [row] = yield* sql.unsafe<Row>(stateText, [`${to}/`, new Date(now).toISOString()])
  const { ended_at, error, first_at, is_running, started_at, succeeded_at } = row!
  const isAfter = started_at !== null && (succeeded_at === null || started_at > succeeded_at)
  return {
    succeededAt: millis(succeeded_at),
    firstAt: millis(first_at),
    unsuccessful: isAfter
      ? { at: Math.min(now, Date.parse(ended_at ?? started_at)), error: error ?? interrupted }
      : undefined,
    isRunning: is_running
  } satisfies State as State
})

const minute = 60_000
const hour = 60 * minute

/** Milliseconds until another try after an attempt that has not succeeded. */
const delayOf = (error: string, every: number): number =>
  error === interrupted ? minute : Math.min(hour, Math.max(minute, every / 10))

/** When the next backup is due, in Unix milliseconds. */
export const dueAt = ({ succeededAt, unsuccessful }: State, { every }: Timing): number =>
  Math.max(
    succeededAt === undefined ? 0 : succeededAt + every,
    unsuccessful === undefined ? 0 : unsuccessful.at + delayOf(unsuccessful.error, every)
  )
