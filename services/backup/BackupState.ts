import { Effect } from "effect"
import { isBackupRunning, isDrillRunning } from "../database/BackupLocks.ts"
import { Database } from "../database/Database.ts"
import { interrupted } from "./BackupLeftovers.ts"

/** The attempts of a schedule. Times are Unix milliseconds. */
export interface State {
  /** When the last successful attempt began. */
  readonly succeededAt: number | undefined
  /** When the first recorded attempt of the schedule began. */
  readonly firstAt: number | undefined
  /** The attempt of the schedule since then, which has not succeeded. */
  readonly unsuccessful: { readonly at: number; readonly error: string } | undefined
  /** Whether an attempt on this database is running. */
  readonly isRunning: boolean
  /** Whether it must wait for an attempt that is running: one of a backup or a drill. */
  readonly isBusy: boolean
}

interface Row {
  readonly succeeded_at: string | null
  readonly first_at: string | null
  readonly started_at: string | null
  readonly ended_at: string | null
  readonly error: string | null
  readonly is_running: boolean
  readonly is_busy: boolean
}

interface Attempts {
  readonly table: "backups" | "restore_drills"
  /** SQL: which attempts have succeeded, are of the schedule, and whether one runs. */
  readonly succeeded: string
  readonly scheduled: string
  readonly running: string
}

/** Attempts in the future do not count: a clock was ahead when they began. */
const textOf = ({ running, scheduled, succeeded, table }: Attempts): string => `WITH mine AS MATERIALIZED (
    SELECT * FROM ${table} WHERE starts_with(target, $1) AND started_at <= $2
  )
  SELECT (SELECT max(started_at) FROM mine WHERE ${succeeded}) AS succeeded_at,
    (SELECT min(started_at) FROM mine WHERE ${scheduled}) AS first_at,
    last.started_at, last.ended_at, last.error, ${running} AS is_running,
    ${isBackupRunning} OR ${isDrillRunning} AS is_busy
  FROM (SELECT) AS one LEFT JOIN LATERAL (
    SELECT * FROM mine WHERE ${scheduled} ORDER BY started_at DESC LIMIT 1
  ) last ON true`

const millis = (time: string | null): number | undefined => (time === null ? undefined : Date.parse(time))

/** Returns the state of the attempts whose backup is in a directory, or an s3:// URL, at a time in Unix milliseconds. */
const stateOf = (text: string) =>
  Effect.fnUntraced(function* (to: string, now: number) {
    const { write: sql } = yield* Database
    const [row] = yield* sql.unsafe<Row>(text, [`${to}/`, new Date(now).toISOString()])
    const { ended_at, error, first_at, is_busy, is_running, started_at, succeeded_at } = row!
    const isAfter = started_at !== null && (succeeded_at === null || started_at > succeeded_at)
    return {
      succeededAt: millis(succeeded_at),
      firstAt: millis(first_at),
      unsuccessful: isAfter
        ? { at: Math.min(now, Date.parse(ended_at ?? started_at)), error: error ?? interrupted }
        : undefined,
      isRunning: is_running,
      isBusy: is_busy
    } satisfies State as State
  })

export const backupsAt = stateOf(
  textOf({
    table: "backups",
    succeeded: "bytes IS NOT NULL",
    scheduled: "kind = 'scheduled'",
    running: isBackupRunning
  })
)

/** Drills by hand count like those of the schedule: an encrypted backup needs the identity of its owner. */
export const drillsAt = stateOf(
  textOf({
    table: "restore_drills",
    succeeded: "ended_at IS NOT NULL AND error IS NULL",
    scheduled: "true",
    running: isDrillRunning
  })
)

const minute = 60_000
const hour = 60 * minute

/** Maximum number of milliseconds from a failure to the next attempt. */
export const longestBackupDelay = hour
/** A drill reads the whole backup, and a damaged one stays damaged until the next backup. */
export const longestDrillDelay = 24 * hour

/** Milliseconds until another try after an attempt that has not succeeded. */
const delayOf = (error: string, every: number, longest: number): number =>
  error === interrupted ? minute : Math.min(longest, Math.max(minute, every / 10))

/** When the next attempt is due, in Unix milliseconds. `every`: milliseconds from one to the next. */
export const dueAt = ({ succeededAt, unsuccessful }: State, every: number, longestDelay: number): number =>
  Math.max(
    succeededAt === undefined ? 0 : succeededAt + every,
    unsuccessful === undefined ? 0 : unsuccessful.at + delayOf(unsuccessful.error, every, longestDelay)
  )
