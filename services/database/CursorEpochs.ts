import { Effect } from "effect"
import { Randomness } from "../Randomness.ts"
import { Database, orUnavailable } from "./Database.ts"

/**
 * Ends all cursors of all workspaces (contract 6, cursor): after a backup is restored, the log continues from an
 * earlier place, and an older cursor would skip what is written there again. Returns the number of workspaces.
 */
export const renewAll = Effect.gen(function* () {
  const { write: sql } = yield* Database
  const [row] = yield* orUnavailable(
    sql.unsafe<{ readonly count: number }>(
      "WITH renewed AS (UPDATE heads SET epoch = $1 RETURNING 1) SELECT count(*)::int AS count FROM renewed",
      [(yield* Randomness).text(8)]
    )
  )
  return row!.count
})
