import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Notebooks as they were when they were deleted, each with the one whose deletion took it along.
  `CREATE TABLE deleted_notebooks (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    name_key text COLLATE "C" NOT NULL,
    color text,
    icon text,
    parent_id text COLLATE "C",
    note_count int NOT NULL,
    revision int NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    updated_at text COLLATE "C" NOT NULL,
    deleted_at text COLLATE "C" NOT NULL,
    deleted_with text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, id)
  )`,
  `CREATE INDEX deleted_notebooks_together ON deleted_notebooks (workspace_id, deleted_with)`,
  `CREATE INDEX deleted_notebooks_age ON deleted_notebooks (deleted_at)`,
  // The notebook that a note went to the trash with; null where it went on its own.
  `ALTER TABLE notes ADD COLUMN deleted_with text COLLATE "C"`,
  `CREATE INDEX notes_deleted_with ON notes (workspace_id, deleted_with) WHERE deleted_with IS NOT NULL`,
  // Names that tags had, for versions of notes that carry them.
  `CREATE TABLE former_tag_names (
    workspace_id text COLLATE "C" NOT NULL,
    name_key text COLLATE "C" NOT NULL,
    tag_id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    PRIMARY KEY (workspace_id, name_key),
    FOREIGN KEY (workspace_id, tag_id) REFERENCES tags ON DELETE CASCADE
  )`,
  `CREATE INDEX former_tag_names_tag ON former_tag_names (workspace_id, tag_id)`,
  `CREATE INDEX former_tag_names_age ON former_tag_names (workspace_id, seq)`
]

/** What is kept so that notebooks, and the tags of notes, can be restored. */
export const restoring = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
