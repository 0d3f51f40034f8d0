import { Clock, Context, Effect, Layer, Schedule } from "effect"
import { randomInt } from "node:crypto"
import { Database } from "./Database.ts"

/** The class of the advisory locks by which processes show that they live. */
const lockClass = 0x5e4f_0002

/**
 * That a process lives, as all others on its database can see it: it holds a session advisory lock on a number of its
 * own. PostgreSQL releases the lock when the process ends, however it ends. A process that froze still holds it.
 */
export class Presence extends Context.Service<
  Presence,
  {
    /** The number that this process holds; null while it holds none, as after its connection broke. */
    readonly holder: () => number | null
  }
>()("sheaf/database/Presence") {
  static readonly layer = Layer.effect(
    Presence,
    Effect.gen(function* () {
      const { write } = yield* Database
      let holder: number | null = null

      /** Holds a number on one connection, until that connection breaks. */
      const hold = Effect.gen(function* () {
        const connection = yield* write.reserve
        const number = randomInt(1, 2 ** 31)
        yield* connection.execute("SELECT pg_advisory_lock($1::int, $2::int)", [lockClass, number], undefined)
        holder = number
        yield* Effect.repeat(connection.execute("SELECT 1", [], undefined), Schedule.spaced("1 second"))
      }).pipe(
        Effect.scoped,
        Effect.ensuring(Effect.sync(() => (holder = null))),
        Effect.tapCause((cause) => Effect.logDebug("the lock of this process is lost", cause)),
        Effect.retry(Schedule.spaced("1 second")),
        // Connections live in real time, also when the program around them runs on a test's clock.
        Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
      )
      yield* Effect.forkScoped(hold)
      return Presence.of({ holder: () => holder })
    })
  )
}

/** Whether any process with a presence is on the database: a running server. */
export const isAnyThere = Effect.gen(function* () {
  const { write } = yield* Database
  const found = yield* write.unsafe(
    `SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
    WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.classid = ${lockClass} AND l.granted LIMIT 1`
  )
  return found.length > 0
})

/**
 * SQL: whether the process that held the number in `column` is gone. It asks for the lock until the end of its
 * transaction, shared with others who ask.
 */
export const isGone = (column: string): string => `pg_try_advisory_xact_lock_shared(${lockClass}, ${column})`
