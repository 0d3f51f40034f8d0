import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Who tries a row of a queue: the number that the `Presence` of the process holds. */
export const claims = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const table of ["mails", "reminder_pushes", "transfers"]) {
    yield* sql.unsafe(`ALTER TABLE ${table} ADD COLUMN claimed_by int`)
    yield* sql.unsafe(`CREATE INDEX ${table}_claimed ON ${table} (claimed_by) WHERE claimed_by IS NOT NULL`)
  }
})
