import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const hanging = "resource IN ('comment', 'attachment', 'reminder')"

const statements = [
  // What the file of an import is: its address takes the same one again, also after the import has let go of it.
  `ALTER TABLE imports ADD COLUMN file_sha256 text COLLATE "C"`,
  `UPDATE imports SET file_sha256 = blob WHERE blob IS NOT NULL`,
  // What hung on a note is erased with it: in the log, in what was sent of it, and in stored answers.
  `CREATE INDEX changes_of_note ON changes (workspace_id, (data ->> 'note_id')) WHERE ${hanging}`,
  `CREATE FUNCTION erase_hanging() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE ids text[];
  BEGIN
    SELECT array_agg(DISTINCT resource_id) INTO ids FROM changes
    WHERE workspace_id = OLD.workspace_id AND ${hanging} AND data ->> 'note_id' = OLD.id;
    IF ids IS NULL THEN
      RETURN NULL;
    END IF;
    UPDATE changes SET data = NULL
    WHERE workspace_id = OLD.workspace_id AND ${hanging} AND data ->> 'note_id' = OLD.id AND type NOT LIKE '%.deleted';
    UPDATE webhook_deliveries SET body = NULL WHERE workspace_id = OLD.workspace_id AND resource_id = ANY (ids);
    UPDATE idempotency_keys SET result = NULL, answer = NULL, erased = true
    WHERE workspace_id = OLD.workspace_id AND resource_ids && ids;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER notes_erase_hanging AFTER DELETE ON notes FOR EACH ROW EXECUTE FUNCTION erase_hanging()`
]

export const erasedAndUploaded = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
