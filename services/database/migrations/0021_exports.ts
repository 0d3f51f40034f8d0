import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // `status` is stored as queued until the end: whether one runs is seen by its row in `transfers`.
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
    author_id text,
    blob text,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, blob) REFERENCES blobs,
    CHECK ((status = 'ready') = (blob IS NOT NULL)),
    CHECK ((status = 'queued') = (expires_at IS NULL)),
    CHECK ((scope = 'notebook') = (notebook_id IS NOT NULL))
  )`,
  `CREATE INDEX exports_list ON exports (workspace_id, created_at, id)`,
  `CREATE INDEX exports_of_blob ON exports (workspace_id, blob) WHERE blob IS NOT NULL`,
  `CREATE INDEX exports_ending ON exports (expires_at) WHERE expires_at IS NOT NULL`,
  `CREATE TABLE transfers (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    permille int NOT NULL,
    attempts int NOT NULL,
    next_at text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, id)
  )`,
  `CREATE INDEX transfers_due ON transfers (next_at)`,
  `CREATE INDEX transfers_turns ON transfers (workspace_id, next_at)`
]

export const exports = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
