import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // A user who may administer the server, and one whose credentials are refused since a time.
  `ALTER TABLE users ADD COLUMN is_operator boolean NOT NULL DEFAULT false,
    ADD COLUMN suspended_at text COLLATE "C"`,
  "ALTER TABLE users ALTER COLUMN is_operator DROP DEFAULT",
  // The lists of operators are over all workspaces.
  "CREATE INDEX users_created ON users (created_at, id)",
  "CREATE INDEX mails_created ON mails (created_at, id)",
  // Mails that were given up, which an operator can send again.
  `CREATE TABLE failed_mails (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    recipient text NOT NULL,
    sealed text NOT NULL,
    attempts int NOT NULL,
    error text NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    failed_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, id)
  )`,
  "CREATE INDEX failed_mails_created ON failed_mails (created_at, id)",
  "CREATE INDEX failed_mails_ended ON failed_mails (failed_at)",
  // The running nodes, each with the time at which it last wrote its row.
  `CREATE TABLE nodes (
    id text COLLATE "C" PRIMARY KEY,
    host text NOT NULL,
    address text NOT NULL,
    version text NOT NULL,
    memory_bytes bigint NOT NULL,
    started_at text COLLATE "C" NOT NULL,
    seen_at text COLLATE "C" NOT NULL
  )`,
  // The last runs of the checks of the whole server. One runs at a time.
  `CREATE TABLE check_runs (
    id text COLLATE "C" PRIMARY KEY,
    started_at text COLLATE "C" NOT NULL,
    seen_at text COLLATE "C" NOT NULL,
    ended_at text COLLATE "C",
    results json NOT NULL
  )`,
  "CREATE UNIQUE INDEX check_runs_running ON check_runs ((true)) WHERE ended_at IS NULL",
  "CREATE INDEX audit_entries_by_operator ON audit_entries (id) WHERE metadata ->> 'by' = 'operator'"
]

export const operators = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
