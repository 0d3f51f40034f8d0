import type { PgClient } from "@effect/sql-pg/PgClient"
import { Clock, Effect } from "effect"

const batch = 1_000

/** The moment that lies so many milliseconds back. */
export const ago = (age: number): Effect.Effect<string> =>
  Effect.map(Clock.currentTimeMillis, (now) => new Date(now - age).toISOString())

/** Deletes the rows of a table for which a condition on $1, a moment, holds: some at a time, so that no statement runs long. */
export const prune = Effect.fnUntraced(function* (sql: PgClient, table: string, condition: string, moment: string) {
  while (true) {
    const gone = yield* sql.unsafe(
      `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${batch}))
      RETURNING 1 AS gone`,
      [moment]
    )
    if (gone.length < batch) return
  }
})
