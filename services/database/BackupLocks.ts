import { Effect } from "effect"
import type { SqlError } from "effect/sql"

/** Runs a statement on one connection and returns its rows. */
export type Query = <Row extends object>(
  text: string,
  params?: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>

/** Class of the advisory locks of backups, restores and drills. */
const lockClass = 0x5e4f_0003
const numbers = { backup: 1, restore: 2, files: 3, drill: 4 } as const

/**
 * Takes a lock of the session, which PostgreSQL releases when the connection ends. Returns whether it was free: one
 * backup, one restore and one drill run on a database at a time. `kind`: `_shared` only excludes those that are not.
 */
export const take = (
  query: Query,
  lock: "backup" | "restore" | "drill",
  kind: "" | "_shared" = ""
): Effect.Effect<boolean, SqlError.SqlError> =>
  Effect.map(
    query<{ readonly held: boolean }>(`SELECT pg_try_advisory_lock${kind}(${lockClass}, ${numbers[lock]}) AS held`),
    ([row]) => row!.held
  )

/** Takes the locks of a drill, during which no backup runs. Returns whether they were free. */
export const takeDrill = (query: Query): Effect.Effect<boolean, SqlError.SqlError> =>
  Effect.flatMap(take(query, "drill"), (isFree) => (isFree ? take(query, "backup", "_shared") : Effect.succeed(false)))

/**
 * Prevents the removal of files until the connection ends. Waits for removals in progress: files that a snapshot taken
 * afterwards refers to stay.
 */
export const keepFiles = (query: Query): Effect.Effect<void, SqlError.SqlError> =>
  Effect.gen(function* () {
    // Longer than a removal may take.
    yield* query("SET lock_timeout = '130s'")
    yield* query(`SELECT pg_advisory_lock(${lockClass}, ${numbers.files})`)
  })

/** SQL: whether files may be removed until the end of the transaction. A backup that starts meanwhile waits for it. */
export const mayRemoveFiles = `pg_try_advisory_xact_lock_shared(${lockClass}, ${numbers.files})`

const isRunning = (lock: "backup" | "drill"): string => `EXISTS (
    SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
    WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.classid = ${lockClass}
      AND l.objid = ${numbers[lock]} AND l.mode = 'ExclusiveLock' AND l.granted
  )`

/** SQL: whether a backup of this database is running. */
export const isBackupRunning = isRunning("backup")

/** SQL: whether a drill of this database is running. */
export const isDrillRunning = isRunning("drill")
