import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // When its user last proved to be who they are.
  `ALTER TABLE sessions ADD COLUMN authenticated_at text COLLATE "C"`,
  "UPDATE sessions SET authenticated_at = created_at",
  "ALTER TABLE sessions ALTER COLUMN authenticated_at SET NOT NULL",
  // Whether they want mails about sign-ins and changes of the account.
  "ALTER TABLE users ADD COLUMN security_mails boolean NOT NULL DEFAULT true"
]

export const authenticatedSessions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
