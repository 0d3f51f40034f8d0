import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The last requests of API keys: a ring of 1000 rows for each key, so that nodes that store at the same time leave no more.
 * The number of all its requests says which row is the next.
 */
const statements = [
  `CREATE TABLE key_request_counts (
    workspace_id text COLLATE "C" NOT NULL,
    key_id text COLLATE "C" NOT NULL,
    requests bigint NOT NULL,
    last_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, key_id),
    FOREIGN KEY (workspace_id, key_id) REFERENCES api_keys ON DELETE CASCADE
  )`,
  // Rows are replaced all the time: with room on its page, a replacement needs no work on the index.
  `CREATE TABLE key_requests (
    workspace_id text COLLATE "C" NOT NULL,
    key_id text COLLATE "C" NOT NULL,
    slot int NOT NULL CHECK (slot BETWEEN 0 AND 999),
    place bigint NOT NULL,
    method text COLLATE "C" NOT NULL,
    route text COLLATE "C" NOT NULL,
    path text COLLATE "C" NOT NULL,
    content_type text COLLATE "C",
    status int,
    code text COLLATE "C",
    duration_ms int NOT NULL,
    request_id text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, key_id, slot),
    FOREIGN KEY (workspace_id, key_id) REFERENCES key_request_counts ON DELETE CASCADE
  ) WITH (fillfactor = 70)`
]

export const keyRequests = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
