import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // When operators last received a mail about each kind of alarm. A backup does not contain it.
  `CREATE TABLE alarms (
    kind text COLLATE "C" PRIMARY KEY,
    mailed_at text COLLATE "C" NOT NULL
  )`,
  "INSERT INTO alarms (kind, mailed_at) SELECT 'backups', mailed_at FROM backup_alarms",
  "DROP TABLE backup_alarms"
]

export const alarms = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
