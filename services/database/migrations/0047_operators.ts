import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // A user who may administer the server, and one whose credentials are refused since a time.
  `ALTER TABLE users ADD COLUMN is_operator boolean NOT NULL DEFAULT false,
    ADD COLUMN suspended_at text COLLATE "C"`,
  "ALTER TABLE users ALTER COLUMN is_operator DROP DEFAULT",
  // The lists of operators are over all workspaces.
  "CREATE INDEX users_created ON users (created_at, id)",
  "CREATE INDEX workspaces_created ON workspaces (created_at, workspace_id)",
  "CREATE INDEX mails_created ON mails (created_at, id)",
  "CREATE INDEX audit_entries_by_operator ON audit_entries (id) WHERE metadata ->> 'by' = 'operator'"
]

export const operators = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
