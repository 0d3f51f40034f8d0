import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The limited credential that started an export or import, and the notebooks that an export is limited to; null for other
 * callers (contract 4, Limited credentials).
 */
const statements = [
  'ALTER TABLE exports ADD COLUMN credential_id text COLLATE "C", ADD COLUMN reach json',
  'ALTER TABLE imports ADD COLUMN credential_id text COLLATE "C"'
]

export const limitedTransfers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
