/** Notes, their history, and how they are sorted into notebooks and by tags. */
export const notes: ReadonlyArray<string> = [
  // As people read: by letters, then accents, then case, and numbers by value. Deterministic, so that keys of lists are
  // exact.
  `CREATE COLLATION sheaf_text (provider = icu, locale = 'und-u-kn-true')`,
  `CREATE TABLE notebooks (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    name_key text COLLATE "C" NOT NULL,
    color text,
    icon text,
    parent_id text COLLATE "C",
    note_count int NOT NULL CHECK (note_count >= 0),
    revision int NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    updated_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, id),
    CONSTRAINT notebooks_parent FOREIGN KEY (workspace_id, parent_id) REFERENCES notebooks DEFERRABLE INITIALLY DEFERRED,
    CHECK (parent_id <> id)
  ) WITH (fillfactor = 70)`,
  `CREATE INDEX notebooks_by_name ON notebooks (workspace_id, name COLLATE sheaf_text, id)`,
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
  `CREATE INDEX deleted_notebooks_age ON deleted_notebooks (deleted_at)`,
  `CREATE INDEX deleted_notebooks_together ON deleted_notebooks (workspace_id, deleted_with)`,
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
  `CREATE INDEX tags_by_name ON tags (workspace_id, name COLLATE sheaf_text, id)`,
  // Names that tags had, for versions of notes that carry them.
  `CREATE TABLE former_tag_names (
    workspace_id text COLLATE "C" NOT NULL,
    name_key text COLLATE "C" NOT NULL,
    tag_id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    PRIMARY KEY (workspace_id, name_key),
    FOREIGN KEY (workspace_id, tag_id) REFERENCES tags ON DELETE CASCADE
  )`,
  `CREATE INDEX former_tag_names_age ON former_tag_names (workspace_id, seq)`,
  `CREATE INDEX former_tag_names_tag ON former_tag_names (workspace_id, tag_id)`,
  // `live_notebook_id` exists for its foreign key alone: a note outside the trash is in a notebook that exists.
  // `deleted_with`: the notebook that a note went to the trash with; null where it went on its own.
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
    deleted_with text COLLATE "C",
    PRIMARY KEY (workspace_id, id),
    CONSTRAINT notes_notebook FOREIGN KEY (workspace_id, live_notebook_id) REFERENCES notebooks DEFERRABLE INITIALLY DEFERRED
  )`,
  // `archived` and `pinned` lead: a list is read as the pinned notes and then the others, and hides one kind or shows
  // it alone. Each order is then read forwards and backwards. Each index costs every create and update: rarer orders
  // are sorted.
  `CREATE INDEX notes_by_creation ON notes (workspace_id, archived, pinned, created_at, id) WHERE deleted_at IS NULL`,
  `CREATE INDEX notes_by_title ON notes (workspace_id, archived, pinned, title COLLATE sheaf_text, id)
    WHERE deleted_at IS NULL`,
  `CREATE INDEX notes_by_update ON notes (workspace_id, archived, pinned, updated_at, id) WHERE deleted_at IS NULL`,
  `CREATE INDEX notes_deleted_with ON notes (workspace_id, deleted_with) WHERE deleted_with IS NOT NULL`,
  `CREATE INDEX notes_of_notebook ON notes (workspace_id, notebook_id, pinned, updated_at, id)
    WHERE deleted_at IS NULL`,
  `CREATE INDEX notes_trash ON notes (deleted_at) WHERE deleted_at IS NOT NULL`,
  // Pinned notes first, as in every list of notes.
  `CREATE INDEX notes_trash_list ON notes (workspace_id, pinned, coalesce(deleted_at, ''), id)
    WHERE deleted_at IS NOT NULL`,
  // Superseded versions only: the current one is the note itself. `body` null: the same as that of the next version.
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
  // Finds the body of a version without one of its own.
  `CREATE INDEX note_versions_bodies ON note_versions (workspace_id, note_id, version) WHERE body IS NOT NULL`,
  // The tags of the notes outside the trash, for counting and for renaming.
  `CREATE TABLE note_tags (
    workspace_id text COLLATE "C" NOT NULL,
    tag_id text COLLATE "C" NOT NULL,
    note_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, tag_id, note_id)
  )`,
  // The names of notes in their front matter, by which links find them.
  `CREATE TABLE note_aliases (
    workspace_id text COLLATE "C" NOT NULL,
    name_key text COLLATE "C" NOT NULL,
    note_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, name_key, note_id)
  )`,
  `CREATE TABLE templates (
    workspace_id text COLLATE "C" NOT NULL REFERENCES heads,
    id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    body text NOT NULL,
    revision int NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    updated_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, id)
  )`,
  `CREATE INDEX templates_by_label ON templates (workspace_id, name COLLATE sheaf_text, id)`
]
