import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Search indexes as they were at some seq, in parts, so that a start does not index everything anew. */
const statements = [
  `CREATE TABLE search_snapshots (
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces,
    id text COLLATE "C" NOT NULL,
    part int NOT NULL CHECK (part >= 0 AND part < parts),
    parts int NOT NULL,
    format int NOT NULL,
    epoch text NOT NULL,
    seq bigint NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (workspace_id, id, part)
  )`,
  // Packed already: to compress it would take longer than to write it.
  `ALTER TABLE search_snapshots ALTER COLUMN bytes SET STORAGE EXTERNAL`
]

export const searchSnapshots = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
