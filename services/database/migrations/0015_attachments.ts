import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Bytes that a workspace holds once, however many attachments have them. `unused_since`: while none has.
  `CREATE TABLE blobs (
    workspace_id text NOT NULL REFERENCES heads,
    sha256 text NOT NULL,
    size bigint NOT NULL,
    refs int NOT NULL CHECK (refs >= 0),
    unused_since text COLLATE "C",
    PRIMARY KEY (workspace_id, sha256),
    CHECK ((refs = 0) = (unused_since IS NOT NULL))
  )`,
  `CREATE INDEX blobs_unused ON blobs (unused_since) WHERE refs = 0`,
  `CREATE TABLE attachments (
    workspace_id text NOT NULL REFERENCES heads,
    id text NOT NULL,
    note_id text NOT NULL,
    filename text NOT NULL COLLATE "C",
    content_type text NOT NULL COLLATE "C",
    size bigint,
    sha256 text,
    status text NOT NULL,
    created_at text NOT NULL COLLATE "C",
    revision int NOT NULL,
    author_id text,
    blob text,
    staging text,
    trashed boolean NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, note_id) REFERENCES notes (workspace_id, id),
    FOREIGN KEY (workspace_id, blob) REFERENCES blobs,
    CHECK ((status = 'ready') = (blob IS NOT NULL)),
    CHECK (blob IS NULL OR (blob = sha256 AND size IS NOT NULL))
  )`,
  `CREATE INDEX attachments_list ON attachments (workspace_id, created_at, id) WHERE NOT trashed`,
  `CREATE INDEX attachments_by_filename ON attachments (workspace_id, filename, id) WHERE NOT trashed`,
  `CREATE INDEX attachments_of_note ON attachments (workspace_id, note_id)`,
  `CREATE INDEX attachments_of_blob ON attachments (workspace_id, blob)`,
  `CREATE INDEX attachments_pending ON attachments (created_at) WHERE status = 'pending'`,
  `ALTER TABLE heads ADD COLUMN attachments bigint NOT NULL DEFAULT 0`,
  `ALTER TABLE heads ADD COLUMN file_bytes bigint NOT NULL DEFAULT 0`
]

export const attachments = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
