import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The drills: backups that were restored into a scratch database, to find out whether that succeeds. */
const statements = [
  `CREATE TABLE restore_drills (
    id text COLLATE "C" PRIMARY KEY,
    -- The backup, as in the table of backups.
    target text NOT NULL,
    started_at text COLLATE "C" NOT NULL,
    ended_at text COLLATE "C",
    error text,
    CHECK (error IS NULL OR ended_at IS NOT NULL)
  )`,
  // One runs at a time.
  `CREATE UNIQUE INDEX restore_drills_running ON restore_drills ((true)) WHERE ended_at IS NULL`
]

export const restoreDrills = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
