import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE TABLE comments (
    workspace_id text NOT NULL REFERENCES heads,
    id text NOT NULL,
    note_id text NOT NULL,
    parent_id text,
    author_id text,
    body text NOT NULL,
    resolved boolean NOT NULL,
    deleted boolean NOT NULL,
    created_at text NOT NULL COLLATE "C",
    updated_at text NOT NULL COLLATE "C",
    revision int NOT NULL,
    trashed boolean NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, note_id) REFERENCES notes (workspace_id, id),
    CHECK (NOT resolved OR parent_id IS NULL),
    CHECK (NOT deleted OR (parent_id IS NULL AND author_id IS NULL AND body = ''))
  )`,
  `CREATE INDEX comments_of_note ON comments (workspace_id, note_id, created_at, id) WHERE NOT trashed`,
  `CREATE INDEX comments_in_trash ON comments (workspace_id, note_id) WHERE trashed`,
  `CREATE INDEX comments_of_parent ON comments (workspace_id, parent_id) WHERE parent_id IS NOT NULL`,
  `ALTER TABLE heads ADD COLUMN comments bigint NOT NULL DEFAULT 0`,
  `CREATE TABLE reminders (
    workspace_id text NOT NULL REFERENCES heads,
    id text NOT NULL,
    note_id text NOT NULL,
    remind_at text NOT NULL COLLATE "C",
    channel text NOT NULL,
    done boolean NOT NULL,
    user_id text NOT NULL,
    created_at text NOT NULL COLLATE "C",
    updated_at text NOT NULL COLLATE "C",
    revision int NOT NULL,
    trashed boolean NOT NULL,
    claimed_until text COLLATE "C",
    claimed_by int,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, note_id) REFERENCES notes (workspace_id, id)
  )`,
  `CREATE INDEX reminders_by_time ON reminders (workspace_id, remind_at, id) WHERE NOT trashed`,
  `CREATE INDEX reminders_by_age ON reminders (workspace_id, created_at, id) WHERE NOT trashed`,
  `CREATE INDEX reminders_of_note ON reminders (workspace_id, note_id)`,
  `CREATE INDEX reminders_armed ON reminders (remind_at) WHERE NOT done AND NOT trashed`,
  `ALTER TABLE heads ADD COLUMN reminders bigint NOT NULL DEFAULT 0`,
  `CREATE TABLE reminder_pushes (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    reminder_id text NOT NULL,
    payload text NOT NULL,
    devices text[] NOT NULL,
    attempts int NOT NULL,
    next_at text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, id)
  )`,
  `CREATE INDEX reminder_pushes_due ON reminder_pushes (next_at)`,
  `CREATE INDEX reminder_pushes_turns ON reminder_pushes (user_id, next_at)`
]

export const aroundNotes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
