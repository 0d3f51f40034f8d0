/** Records that belong to notes, and the bytes of files. */
export const parts: ReadonlyArray<string> = [
  // Bytes that a workspace holds once, however many attachments have them. `unused_since`: while none has. `released`:
  // a record has had it and released it, so that no upload that keeps it is about to use it.
  `CREATE TABLE blobs (
    workspace_id text COLLATE "C" NOT NULL REFERENCES heads,
    sha256 text COLLATE "C" NOT NULL,
    size bigint NOT NULL,
    refs int NOT NULL CHECK (refs >= 0),
    unused_since text COLLATE "C",
    released boolean NOT NULL DEFAULT false,
    PRIMARY KEY (workspace_id, sha256),
    CHECK ((refs = 0) = (unused_since IS NOT NULL))
  )`,
  `CREATE INDEX blobs_sizes ON blobs (workspace_id) INCLUDE (size)`,
  `CREATE INDEX blobs_unused ON blobs (unused_since) WHERE refs = 0`,
  // What an attachment belongs to follows from its note: parts of notes have no foreign key to their workspace.
  `CREATE TABLE attachments (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    note_id text COLLATE "C" NOT NULL,
    filename text COLLATE "C" NOT NULL,
    content_type text COLLATE "C" NOT NULL,
    size bigint,
    sha256 text COLLATE "C",
    status text NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    revision int NOT NULL,
    author_id text COLLATE "C",
    blob text COLLATE "C",
    staging text COLLATE "C",
    trashed boolean NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, blob) REFERENCES blobs,
    FOREIGN KEY (workspace_id, note_id) REFERENCES notes,
    CHECK ((status = 'ready') = (blob IS NOT NULL)),
    CHECK (blob IS NULL OR (blob = sha256 AND size IS NOT NULL))
  )`,
  `CREATE INDEX attachments_by_label ON attachments (workspace_id, filename COLLATE sheaf_text, id) WHERE NOT trashed`,
  `CREATE INDEX attachments_by_size ON attachments (workspace_id, coalesce(size, -1), id) WHERE NOT trashed`,
  `CREATE INDEX attachments_list ON attachments (workspace_id, created_at, id) WHERE NOT trashed`,
  `CREATE INDEX attachments_of_blob ON attachments (workspace_id, blob)`,
  `CREATE INDEX attachments_of_note ON attachments (workspace_id, note_id)`,
  `CREATE INDEX attachments_pending ON attachments (created_at) WHERE status = 'pending'`,
  // Bytes that are reserved for a file that is being received. `holder`: the process that receives it.
  `CREATE TABLE staged_files (
    workspace_id text COLLATE "C" NOT NULL REFERENCES heads,
    name text COLLATE "C" NOT NULL,
    bytes bigint NOT NULL CHECK (bytes >= 0),
    holder int,
    created_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, name)
  )`,
  `CREATE INDEX staged_files_age ON staged_files (created_at)`,
  `CREATE TABLE comments (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    note_id text COLLATE "C" NOT NULL,
    parent_id text COLLATE "C",
    author_id text COLLATE "C",
    body text NOT NULL,
    resolved boolean NOT NULL,
    deleted boolean NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    updated_at text COLLATE "C" NOT NULL,
    revision int NOT NULL,
    trashed boolean NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, note_id) REFERENCES notes,
    CHECK (NOT resolved OR parent_id IS NULL),
    CHECK (NOT deleted OR (parent_id IS NULL AND author_id IS NULL AND body = ''))
  )`,
  // A part of a note is found whether it is in the trash or not, because it goes and comes back with its note.
  `CREATE INDEX comments_of_note ON comments (workspace_id, note_id, created_at, id)`,
  `CREATE INDEX comments_of_parent ON comments (workspace_id, parent_id) WHERE parent_id IS NOT NULL`,
  `CREATE TABLE reminders (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    note_id text COLLATE "C" NOT NULL,
    remind_at text COLLATE "C" NOT NULL,
    channel text NOT NULL,
    done boolean NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    updated_at text COLLATE "C" NOT NULL,
    revision int NOT NULL,
    trashed boolean NOT NULL,
    claimed_until text COLLATE "C",
    claimed_by int,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, note_id) REFERENCES notes
  )`,
  `CREATE INDEX reminders_armed ON reminders (remind_at) WHERE NOT done AND NOT trashed`,
  `CREATE INDEX reminders_by_age ON reminders (workspace_id, created_at, id) WHERE NOT trashed`,
  `CREATE INDEX reminders_by_time ON reminders (workspace_id, remind_at, id) WHERE NOT trashed`,
  `CREATE INDEX reminders_of_note ON reminders (workspace_id, note_id)`,
  // `token_hash` finds a share by its token; `token`, sealed with a key that is not in the database, shows it again.
  // `breaks`: whether readers see single line breaks.
  `CREATE TABLE shares (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    note_id text COLLATE "C" NOT NULL,
    token text NOT NULL,
    token_hash text COLLATE "C" NOT NULL UNIQUE,
    password text,
    password_protected boolean NOT NULL,
    expires_at text COLLATE "C",
    created_at text COLLATE "C" NOT NULL,
    created_by text COLLATE "C",
    revision int NOT NULL,
    breaks boolean NOT NULL DEFAULT true,
    ends_with text COLLATE "C",
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, note_id) REFERENCES notes,
    CHECK (password_protected = (password IS NOT NULL)),
    CONSTRAINT shares_ends CHECK (ends_with IS NULL OR expires_at IS NOT NULL)
  )`,
  `CREATE INDEX shares_by_end ON shares (workspace_id, coalesce(expires_at, ''), id)`,
  `CREATE INDEX shares_list ON shares (workspace_id, created_at, id)`,
  `CREATE INDEX shares_of_note ON shares (workspace_id, note_id)`,
  // Counted beside the shares: a view is no change to one.
  `CREATE TABLE share_views (
    workspace_id text COLLATE "C" NOT NULL,
    share_id text COLLATE "C" NOT NULL,
    views bigint NOT NULL,
    PRIMARY KEY (workspace_id, share_id),
    FOREIGN KEY (workspace_id, share_id) REFERENCES shares ON DELETE CASCADE
  )`
]
