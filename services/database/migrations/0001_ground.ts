import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Timestamps are text, RFC 3339 in UTC with milliseconds, of one width: they sort as time does, and no layer converts
 * them. Ids and timestamps carry `COLLATE "C"`, whatever the database was made with, so that order is byte order and
 * cheap. Each key of what a workspace owns is led by `workspace_id`.
 */
const statements = [
  `CREATE TABLE users (
    id text COLLATE "C" PRIMARY KEY,
    email text NOT NULL,
    email_key text COLLATE "C" NOT NULL UNIQUE,
    name text NOT NULL,
    locale text NOT NULL,
    timezone text NOT NULL,
    created_at text COLLATE "C" NOT NULL
  )`,
  `CREATE TABLE workspaces (
    id text COLLATE "C" PRIMARY KEY,
    name text NOT NULL,
    slug text COLLATE "C" NOT NULL UNIQUE,
    plan text NOT NULL CHECK (plan IN ('free', 'plus', 'team')),
    seats int NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    deleted_at text COLLATE "C"
  )`,
  `CREATE TABLE members (
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces,
    id text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL REFERENCES users,
    role text NOT NULL CHECK (role IN ('owner', 'admin', 'editor', 'viewer')),
    created_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, user_id)
  )`,
  `CREATE TABLE api_keys (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces,
    user_id text COLLATE "C" NOT NULL REFERENCES users,
    name text NOT NULL,
    prefix text NOT NULL,
    secret_hash bytea NOT NULL UNIQUE,
    scopes text[] NOT NULL,
    expires_at text COLLATE "C",
    last_used_at text COLLATE "C",
    created_at text COLLATE "C" NOT NULL
  )`,
  // The order of a workspace. Narrow, and half empty pages, so that each update stays on its page without index work.
  `CREATE TABLE heads (
    workspace_id text COLLATE "C" PRIMARY KEY REFERENCES workspaces,
    seq bigint NOT NULL CHECK (seq >= 0),
    epoch text NOT NULL,
    notes bigint NOT NULL CHECK (notes >= 0)
  ) WITH (fillfactor = 50)`,
  `CREATE TABLE records (
    workspace_id text COLLATE "C" NOT NULL,
    type text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    revision int NOT NULL CHECK (revision >= 1),
    deleted boolean NOT NULL,
    bytes int NOT NULL,
    changed_at text COLLATE "C" NOT NULL,
    actor_id text COLLATE "C",
    device_id text COLLATE "C",
    PRIMARY KEY (workspace_id, type, id),
    UNIQUE (workspace_id, seq)
  )`,
  `CREATE INDEX records_type ON records (workspace_id, type, deleted, seq)`,
  `CREATE TABLE changes (
    workspace_id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    type text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    resource_id text COLLATE "C" NOT NULL,
    version int,
    actor_id text COLLATE "C",
    device_id text COLLATE "C",
    ip text,
    data json,
    occurred_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, seq)
  )`,
  `CREATE TABLE notebooks (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    name_key text COLLATE "C" NOT NULL,
    color text,
    icon text,
    parent_id text COLLATE "C" CHECK (parent_id <> id),
    note_count int NOT NULL CHECK (note_count >= 0),
    revision int NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    updated_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, id),
    CONSTRAINT notebooks_parent FOREIGN KEY (workspace_id, parent_id) REFERENCES notebooks DEFERRABLE INITIALLY DEFERRED
  ) WITH (fillfactor = 70)`,
  // Deferred: one statement may delete a tag and make another of the same name.
  `CREATE TABLE tags (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 50),
    name_key text COLLATE "C" NOT NULL,
    color text,
    note_count int NOT NULL CHECK (note_count >= 0),
    revision int NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, id),
    CONSTRAINT tags_name UNIQUE (workspace_id, name_key) DEFERRABLE INITIALLY DEFERRED
  ) WITH (fillfactor = 70)`,
  // live_notebook_id exists for its foreign key alone: a note outside the trash stands in a notebook that exists.
  `CREATE TABLE notes (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    notebook_id text COLLATE "C" NOT NULL,
    title text NOT NULL CHECK (char_length(title) BETWEEN 1 AND 200),
    body text NOT NULL CHECK (octet_length(body) <= 1048576),
    tags text[] NOT NULL,
    pinned boolean NOT NULL,
    archived boolean NOT NULL,
    version int NOT NULL CHECK (version >= 1),
    word_count int NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    updated_at text COLLATE "C" NOT NULL,
    deleted_at text COLLATE "C",
    author_id text COLLATE "C",
    restored_from int,
    live_notebook_id text COLLATE "C" GENERATED ALWAYS AS (CASE WHEN deleted_at IS NULL THEN notebook_id END) STORED,
    PRIMARY KEY (workspace_id, id),
    CONSTRAINT notes_notebook FOREIGN KEY (workspace_id, live_notebook_id) REFERENCES notebooks DEFERRABLE INITIALLY DEFERRED
  )`,
  `CREATE INDEX notes_list ON notes (workspace_id, pinned, updated_at, id) WHERE deleted_at IS NULL AND NOT archived`,
  `CREATE INDEX notes_notebook_list ON notes (workspace_id, notebook_id, updated_at, id) WHERE deleted_at IS NULL`,
  `CREATE INDEX notes_trash ON notes (deleted_at) WHERE deleted_at IS NOT NULL`,
  // Superseded versions only: the current one is the note itself. body NULL: the same as that of the next version.
  `CREATE TABLE note_versions (
    workspace_id text COLLATE "C" NOT NULL,
    note_id text COLLATE "C" NOT NULL,
    version int NOT NULL,
    notebook_id text COLLATE "C" NOT NULL,
    title text NOT NULL,
    body text,
    tags text[] NOT NULL,
    pinned boolean NOT NULL,
    archived boolean NOT NULL,
    word_count int NOT NULL,
    author_id text COLLATE "C",
    created_at text COLLATE "C" NOT NULL,
    restored_from int,
    PRIMARY KEY (workspace_id, note_id, version)
  )`,
  // The tags of the notes outside the trash, for counting and for renaming.
  `CREATE TABLE note_tags (
    workspace_id text COLLATE "C" NOT NULL,
    tag_id text COLLATE "C" NOT NULL,
    note_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, tag_id, note_id)
  )`,
  `CREATE TABLE devices (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    credential_id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    platform text NOT NULL,
    last_sync_at text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, id)
  )`,
  `CREATE TABLE mutations (
    workspace_id text COLLATE "C" NOT NULL,
    source_id text COLLATE "C" NOT NULL,
    mutation_id text COLLATE "C" NOT NULL,
    result json,
    created_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, source_id, mutation_id)
  )`,
  `CREATE INDEX mutations_age ON mutations (created_at)`
]

export const ground = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
