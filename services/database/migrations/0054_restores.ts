import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // The least revision that a change gives to a record: above all that were given in a history that a restore has ended.
  "ALTER TABLE heads ADD COLUMN least_revision int NOT NULL DEFAULT 1",
  // The last restore of each workspace. A backup does not contain it.
  `CREATE TABLE restores (
    workspace_id text COLLATE "C" PRIMARY KEY REFERENCES workspaces,
    backup_at text COLLATE "C",
    restored_at text COLLATE "C" NOT NULL,
    ends_credentials boolean NOT NULL,
    announced boolean NOT NULL
  )`,
  "CREATE INDEX restores_unannounced ON restores (workspace_id) WHERE NOT announced"
]

/** What is kept of restores, so that nothing that was issued before one is taken for a present one. */
export const restores = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
