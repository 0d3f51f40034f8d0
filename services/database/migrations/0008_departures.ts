import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * When notes left notebooks, by a move or a deletion: what clients that pull some notebooks have to delete (contract 6). The
 * triggers run at the end of a transaction, when the seqs of its changes are stored, whatever statement made them.
 */
const statements = [
  `CREATE TABLE departures (
    workspace_id text COLLATE "C" NOT NULL,
    note_id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    notebook_id text COLLATE "C" NOT NULL,
    revision int NOT NULL,
    changed_at text COLLATE "C" NOT NULL,
    actor_id text COLLATE "C",
    device_id text COLLATE "C",
    PRIMARY KEY (workspace_id, note_id, seq, notebook_id)
  )`,
  `CREATE INDEX departures_seq ON departures (workspace_id, seq)`,
  `CREATE INDEX departures_age ON departures (changed_at)`,
  `CREATE FUNCTION keep_departure() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO departures (workspace_id, note_id, seq, notebook_id, revision, changed_at, actor_id, device_id)
    SELECT workspace_id, id, seq, OLD.notebook_id, revision, changed_at, actor_id, device_id FROM records
    WHERE workspace_id = OLD.workspace_id AND type = 'note' AND id = OLD.id
    ON CONFLICT DO NOTHING;
    RETURN NULL;
  END $$`,
  `CREATE CONSTRAINT TRIGGER notes_depart AFTER UPDATE OF notebook_id, deleted_at ON notes
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.deleted_at IS NULL AND (NEW.deleted_at IS NOT NULL OR NEW.notebook_id <> OLD.notebook_id))
    EXECUTE FUNCTION keep_departure()`,
  `CREATE CONSTRAINT TRIGGER notes_depart_erased AFTER DELETE ON notes
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.deleted_at IS NULL) EXECUTE FUNCTION keep_departure()`
]

export const departures = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
