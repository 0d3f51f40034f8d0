import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Accounts of before count as proven; those that a server of before still makes beside this one do not.
  `ALTER TABLE users ADD COLUMN email_proven boolean NOT NULL DEFAULT true`,
  `ALTER TABLE users ALTER COLUMN email_proven SET DEFAULT false`,
  `ALTER TABLE invitations ADD COLUMN is_mailed boolean NOT NULL DEFAULT false`,
  // The address that a token went to.
  `ALTER TABLE password_resets ADD COLUMN email_key text COLLATE "C"`,
  // What a user has in all workspaces: their keys, and whose a device is.
  `CREATE INDEX api_keys_of_user ON api_keys (user_id)`,
  `CREATE INDEX devices_id ON devices (id)`
]

export const credentials = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
