import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The credential that asked for a revert, and whether it reached some notebooks only (contract 9, Change sets). */
export const revertsOfCredentials = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(
    `ALTER TABLE reverts ADD COLUMN credential_id text COLLATE "C", ADD COLUMN is_limited boolean NOT NULL DEFAULT false`
  )
})
