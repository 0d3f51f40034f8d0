import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Attempts to back up this database. A backup does not contain them, because they are about one installation.
  `CREATE TABLE backups (
    id text COLLATE "C" PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('scheduled', 'manual')),
    target text NOT NULL,
    encrypted boolean NOT NULL,
    started_at text COLLATE "C" NOT NULL,
    ended_at text COLLATE "C",
    bytes bigint CHECK (bytes >= 0),
    error text,
    CHECK (num_nonnulls(bytes, error) = num_nonnulls(ended_at))
  )`,
  // One attempt runs at a time.
  "CREATE UNIQUE INDEX backups_running ON backups ((true)) WHERE ended_at IS NULL",
  // When the operator last received a mail about backups: at most one row.
  `CREATE TABLE backup_alarms (
    id int PRIMARY KEY CHECK (id = 1),
    mailed_at text COLLATE "C" NOT NULL
  )`
]

export const backups = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
