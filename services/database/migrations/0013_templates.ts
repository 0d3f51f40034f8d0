import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE TABLE templates (
    workspace_id text NOT NULL REFERENCES heads,
    id text NOT NULL,
    name text NOT NULL COLLATE "C",
    body text NOT NULL,
    revision int NOT NULL,
    created_at text NOT NULL COLLATE "C",
    updated_at text NOT NULL COLLATE "C",
    PRIMARY KEY (workspace_id, id)
  )`,
  `CREATE INDEX templates_by_name ON templates (workspace_id, name, id)`,
  `ALTER TABLE heads ADD COLUMN templates bigint NOT NULL DEFAULT 0`
]

export const templates = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
