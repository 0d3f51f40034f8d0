import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The departure of a part by itself: `notebook_id` is empty, because its note may move in the same transaction. */
const partDeparture = (table: string, type: string, event: string, condition: string) =>
  `CREATE CONSTRAINT TRIGGER ${table}_depart${event === "DELETE" ? "" : "_moved"} AFTER ${event} ON ${table}
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NOT OLD.trashed AND ${condition})
    EXECUTE FUNCTION keep_part_departure('${type}')`

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
    transaction bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
    PRIMARY KEY (workspace_id, note_id, seq, id, notebook_id)
  )`,
  `CREATE INDEX departures_seq ON departures (workspace_id, seq)`,
  `CREATE INDEX departures_age ON departures (changed_at)`,
  `CREATE FUNCTION keep_departure() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO departures
    WITH note AS (
      SELECT * FROM records WHERE workspace_id = OLD.workspace_id AND type = 'note' AND id = OLD.id
    ), parts AS (
      SELECT 'attachment' AS type, id FROM attachments WHERE workspace_id = OLD.workspace_id AND note_id = OLD.id
      UNION ALL SELECT 'comment', id FROM comments WHERE workspace_id = OLD.workspace_id AND note_id = OLD.id
      UNION ALL SELECT 'reminder', id FROM reminders WHERE workspace_id = OLD.workspace_id AND note_id = OLD.id
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
  `CREATE FUNCTION keep_part_departure() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO departures
    SELECT workspace_id, OLD.note_id, seq, type, id, '', revision, changed_at, actor_id, device_id FROM records
    WHERE workspace_id = OLD.workspace_id AND type = TG_ARGV[0] AND id = OLD.id
    ON CONFLICT DO NOTHING;
    RETURN NULL;
  END $$`,
  partDeparture("attachments", "attachment", "DELETE", "true"),
  partDeparture("attachments", "attachment", "UPDATE OF note_id", "OLD.note_id <> NEW.note_id"),
  partDeparture("comments", "comment", "DELETE", "true"),
  partDeparture("reminders", "reminder", "DELETE", "true")
]

export const departures = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
