import { Clock, Context, Effect, Layer, Schedule } from "effect"
import { randomInt } from "node:crypto"
import { Database } from "./Database.ts"
import * as Migrations from "./Migrations.ts"

/** Class of the advisory locks by which processes show that they are alive. */
const lockClass = 0x5e4f_0002

/** Class of the shared advisory locks by which processes show the last schema that they know. */
const schemaClass = 0x5e4f_0004

/**
 * Shows the other processes on the database that this process is alive: it holds a session advisory lock on a random
 * number. PostgreSQL releases the lock when the process ends, however it ends. A frozen process still holds it.
 */
export class ProcessLock extends Context.Service<
  ProcessLock,
  {
    /** The number that this process holds; null while it holds none, as after its connection broke. */
    readonly holder: () => number | null
  }
>()("sheaf/database/ProcessLock") {
  static readonly layer = Layer.effect(
    ProcessLock,
    Effect.gen(function* () {
      const { write } = yield* Database
      const schema = yield* Migrations.latest
      let holder: number | null = null

      /** Holds a number on one connection, until that connection breaks. */
      const hold = Effect.gen(function* () {
        const connection = yield* write.reserve
        const number = randomInt(1, 2 ** 31)
        // In this order, so that no process is seen without its schema.
        yield* connection.execute("SELECT pg_advisory_lock_shared($1::int, $2::int)", [schemaClass, schema], undefined)
        yield* connection.execute("SELECT pg_advisory_lock($1::int, $2::int)", [lockClass, number], undefined)
        holder = number
        yield* Effect.repeat(connection.execute("SELECT 1", [], undefined), Schedule.spaced("1 second"))
      }).pipe(
        Effect.scoped,
        Effect.ensuring(Effect.sync(() => (holder = null))),
        Effect.tapCause((cause) => Effect.logDebug("the lock of this process is lost", cause)),
        Effect.retry(Schedule.spaced("1 second")),
        // Connections use real time, even when the program runs on a test clock.
        Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
      )
      yield* Effect.forkScoped(hold)
      return ProcessLock.of({ holder: () => holder })
    })
  )
}

/** The processes on the database that hold a presence: running servers, and some commands while they run. */
export const processes = Effect.gen(function* () {
  const { write } = yield* Database
  const [found] = yield* write.unsafe<{
    readonly count: number
    /** When the first of them connected (RFC 3339); null if there is none. */
    readonly since: string | null
  }>(
    `SELECT count(*)::int AS count,
      to_char(min(a.backend_start) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS since
    FROM pg_locks l JOIN pg_database d ON d.oid = l.database LEFT JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.classid = ${lockClass}
      AND l.mode = 'ExclusiveLock' AND l.granted`
  )
  return found!
})

/** Whether any process on the database holds a presence: a running server. */
export const isAnyThere = Effect.map(processes, ({ count }) => count > 0)

/** The earliest of the last schemas that the running processes know, 0 for one that shows none; undefined if none runs. */
export const oldestSchema = Effect.gen(function* () {
  const { write } = yield* Database
  const [found] = yield* write.unsafe<{ readonly oldest: number | null }>(
    `SELECT min(coalesce(s.objid::bigint, 0))::int AS oldest
    FROM pg_locks l JOIN pg_database d ON d.oid = l.database
      LEFT JOIN pg_locks s ON s.pid = l.pid AND s.database = l.database AND s.locktype = 'advisory'
        AND s.classid = ${schemaClass} AND s.granted
    WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.classid = ${lockClass}
      AND l.mode = 'ExclusiveLock' AND l.granted`
  )
  return found!.oldest ?? undefined
})

/**
 * SQL: whether the process that held the number in `column` is gone. It takes the lock until the end of the
 * transaction, shared, so that other transactions can check too.
 */
export const isGone = (column: string): string => `pg_try_advisory_xact_lock_shared(${lockClass}, ${column})`
