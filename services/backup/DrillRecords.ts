import { Clock, Effect, Exit } from "effect"
import { isDrillRunning } from "../database/BackupLocks.ts"
import { Database } from "../database/Database.ts"
import { Randomness } from "../Randomness.ts"
import { errorOf, onOneLine } from "./BackupAttempts.ts"
import { interrupted } from "./BackupLeftovers.ts"

/** A drill, as it is recorded. Times are RFC 3339. */
export interface Drill {
  /** The file, or the object in a bucket, of the backup. */
  readonly target: string
  readonly started_at: string
  /** Null while it runs, and after its process was killed. */
  readonly ended_at: string | null
  /** Why it failed; null if it succeeded, or runs. */
  readonly error: string | null
}

/** Returns the last drill; undefined if there is none. Requires the current schema. */
export const lastDrill = Effect.gen(function* () {
  const { write: sql } = yield* Database
  const [last] = yield* sql.unsafe<Drill>(
    `SELECT target, started_at, ended_at,
      CASE WHEN ended_at IS NULL AND NOT ${isDrillRunning} THEN '${interrupted}' ELSE error END AS error
    FROM restore_drills ORDER BY started_at DESC LIMIT 1`
  )
  return last
})

/** Returns the newest backup in a directory, or an s3:// URL, at a time in Unix milliseconds; undefined if there is none. */
export const newestBackup = Effect.fnUntraced(function* (to: string, now: number) {
  const { write: sql } = yield* Database
  const [newest] = yield* sql.unsafe<{ readonly target: string }>(
    `SELECT target FROM backups WHERE bytes IS NOT NULL AND starts_with(target, $1) AND started_at <= $2
    ORDER BY started_at DESC LIMIT 1`,
    [`${to}/`, iso(now)]
  )
  return newest?.target
})

const iso = (millis: number): string => new Date(millis).toISOString()

/** The drills that stay: the last ones that succeeded, and the last others. */
const maxKept = 20
const pruneText = `DELETE FROM restore_drills WHERE id IN (
    SELECT id FROM (
      SELECT id, row_number() OVER (PARTITION BY error IS NULL ORDER BY started_at DESC) AS place FROM restore_drills
    ) d WHERE place > ${maxKept}
  )`

const newId = Effect.map(Randomness, (randomness) => `rd_${randomness.text(24)}`)

/** Records why a drill of a server failed, unless it has done so itself: its thread has ended, or has not begun. */
export const recordDrillFailure = Effect.fnUntraced(function* (
  target: string,
  startedAt: number,
  endedAt: number,
  error: string
) {
  const { write: sql } = yield* Database
  yield* sql.unsafe(
    `WITH open AS (UPDATE restore_drills SET ended_at = $4, error = $5 WHERE started_at = $3 AND ended_at IS NULL)
    INSERT INTO restore_drills (id, target, started_at, ended_at, error) SELECT $1, $2, $3, $4, $5
    WHERE NOT EXISTS (SELECT FROM restore_drills WHERE started_at = $3)`,
    [yield* newId, target, iso(startedAt), iso(endedAt), onOneLine(error)]
  )
  yield* sql.unsafe(pruneText)
})

/**
 * Records a drill, from its start, in Unix milliseconds, to its end, and ends the record of a process that was killed. The
 * caller has the lock of drills.
 */
export const recordedDrill = Effect.fnUntraced(function* <A, E, R>(
  target: string,
  startedAt: number,
  run: Effect.Effect<A, E, R>
) {
  const { write: sql } = yield* Database
  const id = yield* newId
  const begun = yield* Clock.currentTimeMillis
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql.unsafe("UPDATE restore_drills SET ended_at = $1, error = $2 WHERE ended_at IS NULL", [
        iso(startedAt),
        interrupted
      ])
      yield* sql.unsafe(pruneText)
      yield* sql.unsafe("INSERT INTO restore_drills (id, target, started_at) VALUES ($1, $2, $3)", [
        id,
        target,
        iso(startedAt)
      ])
    })
  )
  return yield* Effect.onExit(
    run,
    Effect.fnUntraced(function* (exit: Exit.Exit<A, E>) {
      yield* sql.unsafe("UPDATE restore_drills SET ended_at = $2, error = $3 WHERE id = $1 AND ended_at IS NULL", [
        id,
        iso(startedAt + (yield* Clock.currentTimeMillis) - begun),
        Exit.isSuccess(exit) ? null : errorOf(exit.cause, target)
      ])
    })
  )
})
