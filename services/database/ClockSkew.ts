import { Clock, Effect } from "effect"
import { Database } from "./Database.ts"

/** Maximum milliseconds between the clocks of the machine and of the database. All nodes are compared with it. */
export const tolerance = 5_000

/** Milliseconds by which a clock is ahead of the database's clock, negative if it is behind; 0 within the time of the query. */
export const measure = Effect.gen(function* () {
  const { write: sql } = yield* Database
  const before = yield* Clock.currentTimeMillis
  const [row] = yield* sql.unsafe<{ readonly now: number }>(
    "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now"
  )
  const after = yield* Clock.currentTimeMillis
  return row!.now < before ? before - row!.now : row!.now > after ? after - row!.now : 0
})

/** The same for the clock of the machine, also when the program runs on a test clock. */
export const ofMachine = Effect.provideService(measure, Clock.Clock, Clock.Clock.defaultValue())

/** Returns the fault of a clock; undefined if it has none. */
export const problemOf = (skew: number): string | undefined =>
  Math.abs(skew) <= tolerance
    ? undefined
    : `The clock of this machine is ${Math.round(Math.abs(skew) / 1000)} s ${skew > 0 ? "ahead of" : "behind"} the database's clock`
