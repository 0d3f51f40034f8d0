import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Links that create the first account, each by the digest of its token.
  `CREATE TABLE setup_links (
    workspace_id text COLLATE "C" NOT NULL,
    hash text COLLATE "C" NOT NULL UNIQUE,
    user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    used_at text COLLATE "C",
    expires_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, hash)
  )`,
  // A user has at most one link that was used.
  "CREATE UNIQUE INDEX setup_links_used ON setup_links (user_id) WHERE used_at IS NOT NULL"
]

export const setupLinks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
