/** Exports and imports. */
export const transfers: ReadonlyArray<string> = [
  // `status` is stored as queued until the end: a row in `transfers` shows whether one runs.
  `CREATE TABLE exports (
    workspace_id text COLLATE "C" NOT NULL REFERENCES heads,
    id text COLLATE "C" NOT NULL,
    scope text NOT NULL,
    format text NOT NULL,
    status text NOT NULL CHECK (status IN ('queued', 'ready', 'failed')),
    notebook_id text COLLATE "C",
    include_attachments boolean NOT NULL,
    error text,
    size_bytes bigint,
    expires_at text COLLATE "C",
    created_at text COLLATE "C" NOT NULL,
    author_id text COLLATE "C",
    blob text COLLATE "C",
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, blob) REFERENCES blobs,
    CHECK ((status = 'ready') = (blob IS NOT NULL)),
    CHECK ((status = 'queued') = (expires_at IS NULL)),
    CHECK ((scope = 'notebook') = (notebook_id IS NOT NULL))
  )`,
  `CREATE INDEX exports_ending ON exports (expires_at) WHERE expires_at IS NOT NULL`,
  `CREATE INDEX exports_list ON exports (workspace_id, created_at, id)`,
  `CREATE INDEX exports_of_blob ON exports (workspace_id, blob) WHERE blob IS NOT NULL`,
  // `status` is stored as that of exports. `blob` is the file, until the end; `file_sha256` stays, because a repeated
  // upload finds the import by it.
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
    author_id text COLLATE "C",
    blob text COLLATE "C",
    permille int NOT NULL,
    keeps_ids boolean,
    ends_at text COLLATE "C",
    on_existing text NOT NULL DEFAULT 'duplicate' CHECK (on_existing IN ('skip', 'update', 'duplicate')),
    skipped int NOT NULL DEFAULT 0 CHECK (skipped >= 0),
    updated int NOT NULL DEFAULT 0 CHECK (updated >= 0),
    file_sha256 text COLLATE "C",
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, blob) REFERENCES blobs,
    CHECK (status = 'queued' OR blob IS NULL),
    CHECK ((status = 'queued' AND blob IS NOT NULL) = (ends_at IS NULL))
  )`,
  `CREATE INDEX imports_ending ON imports (ends_at) WHERE ends_at IS NOT NULL`,
  `CREATE INDEX imports_list ON imports (workspace_id, created_at, id)`,
  `CREATE INDEX imports_of_blob ON imports (workspace_id, blob) WHERE blob IS NOT NULL`,
  // Imports of a workspace run one after the other: the first stays in the queue, and the service queues the next at
  // its end.
  `CREATE TABLE transfers (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    permille int NOT NULL,
    attempts int NOT NULL,
    next_at text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    claimed_by int,
    PRIMARY KEY (workspace_id, id),
    CONSTRAINT transfers_one_import EXCLUDE (workspace_id WITH =) WHERE (starts_with(id, 'im_')) DEFERRABLE INITIALLY DEFERRED
  )`,
  `CREATE INDEX transfers_claimed ON transfers (claimed_by) WHERE claimed_by IS NOT NULL`,
  `CREATE INDEX transfers_due ON transfers (next_at)`,
  `CREATE INDEX transfers_turns ON transfers (workspace_id, next_at)`,
  // The path of an imported note, and its links as they were. They are erased with the note.
  `CREATE TABLE note_originals (
    workspace_id text COLLATE "C" NOT NULL,
    note_id text COLLATE "C" NOT NULL,
    path text NOT NULL,
    links json NOT NULL,
    PRIMARY KEY (workspace_id, note_id),
    FOREIGN KEY (workspace_id, note_id) REFERENCES notes ON DELETE CASCADE
  )`,
  // The source of a note that an import wrote last: `key` is the SHA-256 of its path or id, `content` that of its
  // content, empty where a quota kept files of it out; `version` is the version of the note that the import wrote.
  `CREATE TABLE import_sources (
    workspace_id text COLLATE "C" NOT NULL,
    note_id text COLLATE "C" NOT NULL,
    import_id text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    content text COLLATE "C" NOT NULL,
    version int NOT NULL,
    PRIMARY KEY (workspace_id, note_id),
    FOREIGN KEY (workspace_id, note_id) REFERENCES notes ON DELETE CASCADE
  )`,
  `CREATE INDEX import_sources_of_key ON import_sources (workspace_id, key, import_id)`
]
