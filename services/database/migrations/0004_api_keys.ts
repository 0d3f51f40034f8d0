import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Keys are written by their workspace's writer, as everything that a workspace owns.
  `ALTER TABLE api_keys DROP CONSTRAINT api_keys_pkey, ADD PRIMARY KEY (workspace_id, id)`,
  `ALTER TABLE api_keys ALTER COLUMN secret_hash TYPE text USING encode(secret_hash, 'hex'),
    ADD COLUMN previous_secret_hash text COLLATE "C",
    ADD COLUMN previous_secret_expires_at text COLLATE "C"`,
  `CREATE UNIQUE INDEX api_keys_previous ON api_keys (previous_secret_hash) WHERE previous_secret_hash IS NOT NULL`
]

export const apiKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
