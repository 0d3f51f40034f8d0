import { Cause, Clock, Effect, Exit } from "effect"
import { Database } from "../database/Database.ts"
import type { Access } from "../files/S3Place.ts"
import { Randomness } from "../Randomness.ts"
import { reasonOf } from "./BackupFailure.ts"
import { interrupted, settle } from "./BackupLeftovers.ts"

/** An attempt to back up, as it is recorded. */
export interface Attempt {
  /** `manual`: any backup that the schedule did not begin. */
  readonly kind: "scheduled" | "manual"
  /** The path of the file, or the s3:// URL of the object. */
  readonly target: string
  readonly encrypted: boolean
}

/** An attempt that begins. `access`: to the store of buckets. */
interface Beginning extends Attempt {
  /** In Unix milliseconds, by the clock of the schedule. */
  readonly startedAt: number
  readonly access: Access | undefined
}

/** The last attempt that has ended. */
interface LastBackup {
  /** When it ended (RFC 3339). */
  readonly at: string
  readonly target: string
  /** Size of the backup; null if it failed. */
  readonly bytes: number | null
  /** Why it failed, on one line; null if it succeeded. */
  readonly error: string | null
}

/** Returns the last attempt that has ended, scheduled or manual; undefined if there is none. Requires the current schema. */
export const lastBackup = Effect.gen(function* () {
  const { write: sql } = yield* Database
  const [last] = yield* sql.unsafe<LastBackup>(
    `SELECT ended_at AS at, target, bytes::float8 AS bytes, error FROM backups
    WHERE ended_at IS NOT NULL ORDER BY ended_at DESC, started_at DESC LIMIT 1`
  )
  return last
})

/** Maximum number of recorded attempts before the running one, apart from scheduled backups that succeeded. */
const maxKept = 100

/** Maximum characters of a recorded error. */
const maxError = 500

export const onOneLine = (message: string): string =>
  (message.replaceAll(/\s+/g, " ").trim() || "unknown").slice(0, maxError)

export const errorOf = (cause: Cause.Cause<unknown>, target: string): string =>
  Cause.hasInterruptsOnly(cause) ? interrupted : onOneLine(reasonOf(Cause.squash(cause), target))

const iso = (millis: number): string => new Date(millis).toISOString()

/** Whether attempts can be recorded: the database may have an earlier schema. */
const isRecorded = Effect.gen(function* () {
  const { write: sql } = yield* Database
  const [found] = yield* sql.unsafe<{ readonly exists: boolean }>("SELECT to_regclass('backups') IS NOT NULL AS exists")
  return found!.exists
})

const pruneText = `DELETE FROM backups WHERE (kind = 'manual' OR error IS NOT NULL) AND id NOT IN (
    SELECT id FROM backups WHERE kind = 'manual' OR error IS NOT NULL ORDER BY started_at DESC LIMIT ${maxKept}
  )`

const newId = Effect.map(Randomness, (randomness) => `bk_${randomness.text(24)}`)

/** Records why an attempt of a server failed, unless it has done so itself: its thread has ended, or has not begun. */
export const recordFailure = Effect.fnUntraced(function* (
  { encrypted, kind, startedAt, target }: Omit<Beginning, "access">,
  endedAt: number,
  error: string
) {
  const { write: sql } = yield* Database
  yield* sql.unsafe(
    `WITH open AS (
      UPDATE backups SET ended_at = $5, error = $6 WHERE kind = $7 AND started_at = $4 AND ended_at IS NULL
    )
    INSERT INTO backups (id, kind, target, encrypted, started_at, ended_at, error)
    SELECT $1, $7, $2, $3::boolean, $4, $5, $6
    WHERE NOT EXISTS (SELECT FROM backups WHERE kind = $7 AND started_at = $4)`,
    [yield* newId, target, encrypted, iso(startedAt), iso(endedAt), onOneLine(error), kind]
  )
  yield* sql.unsafe(pruneText)
})

/**
 * Records an attempt, from its start to its end, after it has removed what earlier attempts have left. The caller has the
 * lock of backups.
 */
export const recorded = Effect.fnUntraced(function* <A extends { readonly bytes: number }, E, R>(
  { access, encrypted, kind, startedAt, target }: Beginning,
  run: Effect.Effect<A, E, R>
) {
  if (!(yield* isRecorded)) return yield* run
  yield* settle(access, iso(startedAt))
  const { write: sql } = yield* Database
  const id = yield* newId
  const begun = yield* Clock.currentTimeMillis
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql.unsafe(pruneText)
      yield* sql.unsafe(
        "INSERT INTO backups (id, kind, target, encrypted, started_at) VALUES ($1, $2, $3, $4::boolean, $5)",
        [id, kind, target, encrypted, iso(startedAt)]
      )
    })
  )
  const end = Effect.fnUntraced(function* (exit: Exit.Exit<A, E>) {
    const [bytes, error] = Exit.isSuccess(exit) ? [String(exit.value.bytes), null] : [null, errorOf(exit.cause, target)]
    yield* sql.unsafe(
      "UPDATE backups SET ended_at = $2, bytes = $3::bigint, error = $4 WHERE id = $1 AND ended_at IS NULL",
      [id, iso(startedAt + (yield* Clock.currentTimeMillis) - begun), bytes, error]
    )
  })
  return yield* Effect.onExit(run, end)
})
