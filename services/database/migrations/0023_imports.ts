import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // `status` is stored as queued until the end, as that of exports. `blob` is the file, until the end.
  `CREATE TABLE imports (
    workspace_id text COLLATE "C" NOT NULL REFERENCES heads,
    id text COLLATE "C" NOT NULL,
    source text NOT NULL,
    status text NOT NULL CHECK (status IN ('queued', 'done', 'failed')),
    notebook_id text COLLATE "C",
    filename text,
    size_bytes bigint,
    imported int NOT NULL,
    total int,
    errors json NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    author_id text,
    blob text,
    permille int NOT NULL,
    keeps_ids boolean,
    ends_at text COLLATE "C",
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, blob) REFERENCES blobs,
    CHECK (status = 'queued' OR blob IS NULL),
    CHECK ((status = 'queued' AND blob IS NOT NULL) = (ends_at IS NULL))
  )`,
  `CREATE INDEX imports_list ON imports (workspace_id, created_at, id)`,
  `CREATE INDEX imports_of_blob ON imports (workspace_id, blob) WHERE blob IS NOT NULL`,
  `CREATE INDEX imports_ending ON imports (ends_at) WHERE ends_at IS NOT NULL`,
  // What an imported note was called, and its links as they were: they go with the note.
  `CREATE TABLE note_originals (
    workspace_id text COLLATE "C" NOT NULL,
    note_id text COLLATE "C" NOT NULL,
    path text NOT NULL,
    links json NOT NULL,
    PRIMARY KEY (workspace_id, note_id),
    FOREIGN KEY (workspace_id, note_id) REFERENCES notes (workspace_id, id) ON DELETE CASCADE
  )`
]

export const imports = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
