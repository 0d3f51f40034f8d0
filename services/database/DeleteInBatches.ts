import type { PgClient } from "@effect/sql-pg/PgClient"
import { Clock, Effect } from "effect"

const batch = 1_000

/** The time `age` milliseconds ago, as RFC 3339. */
export const ago = (age: number): Effect.Effect<string> =>
  Effect.map(Clock.currentTimeMillis, (now) => new Date(now - age).toISOString())

/** Deletes the rows of a table that match a condition on the time $1, in batches, so that no statement runs long. */
export const deleteInBatches = Effect.fnUntraced(function* (
  sql: PgClient,
  table: string,
  condition: string,
  moment: string
) {
  while (true) {
    const gone = yield* sql.unsafe(
      `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${batch}))
      RETURNING 1 AS gone`,
      [moment]
    )
    if (gone.length < batch) return
  }
})
