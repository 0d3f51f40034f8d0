import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Earlier imports made every note new.
  `ALTER TABLE imports
    ADD COLUMN on_existing text NOT NULL DEFAULT 'duplicate' CHECK (on_existing IN ('skip', 'update', 'duplicate')),
    ADD COLUMN skipped int NOT NULL DEFAULT 0 CHECK (skipped >= 0),
    ADD COLUMN updated int NOT NULL DEFAULT 0 CHECK (updated >= 0)`,
  // The source of a note that an import wrote last: `key` is the SHA-256 of its path or id, `content` that of its content,
  // empty where a quota kept files of it out; `version` is the version of the note that the import wrote.
  `CREATE TABLE import_sources (
    workspace_id text COLLATE "C" NOT NULL,
    note_id text COLLATE "C" NOT NULL,
    import_id text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    content text COLLATE "C" NOT NULL,
    version int NOT NULL,
    PRIMARY KEY (workspace_id, note_id),
    FOREIGN KEY (workspace_id, note_id) REFERENCES notes (workspace_id, id) ON DELETE CASCADE
  )`,
  `CREATE INDEX import_sources_of_key ON import_sources (workspace_id, key, import_id)`,
  // Imports of a workspace run one after the other. Of those that have not ended, the first stays in the queue; the
  // service queues the others again as each one before them ends.
  `DELETE FROM transfers t WHERE starts_with(t.id, 'im_') AND NOT EXISTS (
    SELECT FROM imports i WHERE i.workspace_id = t.workspace_id AND i.id = t.id AND i.status = 'queued'
  )`,
  `DELETE FROM transfers t WHERE starts_with(t.id, 'im_') AND EXISTS (
    SELECT FROM transfers o WHERE o.workspace_id = t.workspace_id AND starts_with(o.id, 'im_') AND o.id < t.id
  )`,
  `ALTER TABLE transfers ADD CONSTRAINT transfers_one_import EXCLUDE USING btree (workspace_id WITH =)
    WHERE (starts_with(id, 'im_')) DEFERRABLE INITIALLY DEFERRED`
]

export const importSources = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
