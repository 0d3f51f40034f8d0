import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // `token_hash` finds a share by its token; `token`, sealed with a key that is not in the database, shows it again.
  `CREATE TABLE shares (
    workspace_id text NOT NULL REFERENCES heads,
    id text NOT NULL,
    note_id text NOT NULL,
    token text NOT NULL,
    token_hash text NOT NULL COLLATE "C" UNIQUE,
    password text,
    password_protected boolean NOT NULL,
    expires_at text COLLATE "C",
    created_at text NOT NULL COLLATE "C",
    author_id text,
    revision int NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, note_id) REFERENCES notes (workspace_id, id),
    CHECK (password_protected = (password IS NOT NULL))
  )`,
  `CREATE INDEX shares_list ON shares (workspace_id, created_at, id)`,
  `CREATE INDEX shares_by_end ON shares (workspace_id, coalesce(expires_at, ''), id)`,
  `CREATE INDEX shares_of_note ON shares (workspace_id, note_id)`,
  // Counted beside the shares: a view is no change to one.
  `CREATE TABLE share_views (
    workspace_id text NOT NULL,
    share_id text NOT NULL,
    views bigint NOT NULL,
    PRIMARY KEY (workspace_id, share_id),
    FOREIGN KEY (workspace_id, share_id) REFERENCES shares (workspace_id, id) ON DELETE CASCADE
  )`,
  `ALTER TABLE heads ADD COLUMN shares bigint NOT NULL DEFAULT 0`
]

export const shares = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
