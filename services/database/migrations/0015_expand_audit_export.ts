import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The entries of audit logs on their way to AUDIT_LOG, and the ends of what was written there. The trigger that calls the
 * function is made by the first server with AUDIT_LOG: others have no work by it.
 */
const statements = [
  // An entry that ends before it was written leaves the queue.
  `CREATE TABLE audit_unsent (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    -- The order in which they were added.
    place bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, id) REFERENCES audit_entries ON DELETE CASCADE
  )`,
  `CREATE INDEX audit_unsent_places ON audit_unsent (place)`,
  `CREATE FUNCTION queue_audit_entry() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO audit_unsent (workspace_id, id) VALUES (NEW.workspace_id, NEW.id);
    RETURN NULL;
  END $$`,
  `CREATE TABLE audit_chains (
    destination text COLLATE "C" PRIMARY KEY,
    -- The number and the hash of the last line.
    n bigint NOT NULL,
    hash text NOT NULL,
    -- The hash of the first line of the present file; null if it is not known.
    first_hash text
  )`
]

export const auditExport = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
