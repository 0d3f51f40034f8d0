import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Grants of apps are sessions with an app and without a device (contract 4, Connected apps). */
const statements = [
  `ALTER TABLE sessions ALTER COLUMN device_id DROP NOT NULL`,
  `ALTER TABLE sessions ADD COLUMN app json`,
  `ALTER TABLE sessions ADD COLUMN access_used boolean NOT NULL DEFAULT false`,
  `CREATE TABLE oauth_clients (
    id text COLLATE "C" PRIMARY KEY,
    name text NOT NULL,
    redirect_uris text[] NOT NULL,
    is_by_operator boolean NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    -- When a user last connected it; null if no user ever did.
    connected_at text COLLATE "C"
  )`,
  `CREATE INDEX oauth_clients_unused ON oauth_clients (created_at) WHERE connected_at IS NULL AND NOT is_by_operator`,
  `CREATE TABLE authorization_codes (
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces,
    hash text COLLATE "C" NOT NULL UNIQUE,
    user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    app json NOT NULL,
    redirect_uri text NOT NULL,
    challenge text COLLATE "C" NOT NULL,
    -- The session that the code was exchanged for, and when.
    session_id text COLLATE "C",
    used_at text COLLATE "C",
    expires_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, hash)
  )`,
  `CREATE INDEX authorization_codes_expiry ON authorization_codes (expires_at)`
]

export const connectedApps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
