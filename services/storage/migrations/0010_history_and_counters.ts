import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Where the body of a version without one of its own is found, by one look.
  `CREATE INDEX note_versions_bodies ON note_versions (workspace_id, note_id, version) WHERE body IS NOT NULL`
]

export const historyAndCounters = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
