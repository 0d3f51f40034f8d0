import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The most records of one note, of all types, that a deletion of the note deletes. */
const maxParts = 10_000

/**
 * When notes and their parts left notebooks, by a move or a deletion: what clients that pull some notebooks have to delete
 * (contract 6). The triggers run at the end of a transaction, when the seqs of its changes are stored, whatever statement
 * made them.
 */
const statements = [
  `CREATE TABLE departures (
    workspace_id text COLLATE "C" NOT NULL,
    note_id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    type text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    notebook_id text COLLATE "C" NOT NULL,
    revision int NOT NULL,
    changed_at text COLLATE "C" NOT NULL,
    actor_id text COLLATE "C",
    device_id text COLLATE "C",
    PRIMARY KEY (workspace_id, note_id, seq, id, notebook_id)
  )`,
  `CREATE INDEX departures_seq ON departures (workspace_id, seq)`,
  `CREATE INDEX departures_age ON departures (changed_at)`,
  // An erased note has no parts any more: their tombstones are the changes before its own.
  `CREATE FUNCTION keep_departure() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO departures
    WITH note AS (
      SELECT * FROM records WHERE workspace_id = OLD.workspace_id AND type = 'note' AND id = OLD.id
    ), parts AS (
      SELECT 'attachment' AS type, id FROM attachments WHERE workspace_id = OLD.workspace_id AND note_id = OLD.id
      UNION ALL SELECT 'comment', id FROM comments WHERE workspace_id = OLD.workspace_id AND note_id = OLD.id
      UNION ALL SELECT 'reminder', id FROM reminders WHERE workspace_id = OLD.workspace_id AND note_id = OLD.id
      UNION ALL SELECT c.resource, c.resource_id FROM note JOIN changes c ON c.workspace_id = note.workspace_id
        AND TG_OP = 'DELETE' AND c.note_id = note.id AND c.resource <> 'note' AND c.seq BETWEEN note.seq - ${maxParts} AND note.seq
    )
    SELECT note.workspace_id, note.id, note.seq, r.type, r.id, OLD.notebook_id, r.revision, note.changed_at,
      note.actor_id, note.device_id
    FROM note CROSS JOIN (SELECT 'note' AS type, OLD.id UNION ALL SELECT type, id FROM parts) p
      JOIN records r ON r.workspace_id = note.workspace_id AND r.type = p.type AND r.id = p.id
    ON CONFLICT DO NOTHING;
    RETURN NULL;
  END $$`,
  `CREATE CONSTRAINT TRIGGER notes_depart AFTER UPDATE OF notebook_id, deleted_at ON notes
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.deleted_at IS NULL AND (NEW.deleted_at IS NOT NULL OR NEW.notebook_id <> OLD.notebook_id))
    EXECUTE FUNCTION keep_departure()`,
  `CREATE CONSTRAINT TRIGGER notes_depart_erased AFTER DELETE ON notes
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.deleted_at IS NULL) EXECUTE FUNCTION keep_departure()`,
  `CREATE FUNCTION keep_file_departure() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO departures
    SELECT r.workspace_id, n.id, r.seq, r.type, r.id, n.notebook_id, r.revision, r.changed_at, r.actor_id, r.device_id
    FROM records r JOIN notes n ON n.workspace_id = r.workspace_id AND n.id = OLD.note_id
    WHERE r.workspace_id = OLD.workspace_id AND r.type = 'attachment' AND r.id = OLD.id
    ON CONFLICT DO NOTHING;
    RETURN NULL;
  END $$`,
  `CREATE CONSTRAINT TRIGGER attachments_depart AFTER UPDATE OF note_id ON attachments
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.note_id IS NOT NULL AND OLD.note_id IS DISTINCT FROM NEW.note_id) EXECUTE FUNCTION keep_file_departure()`
]

export const departures = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
