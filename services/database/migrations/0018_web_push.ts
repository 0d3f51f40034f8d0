import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // The pair of this installation, one row: browsers are bound to the one that they subscribed with.
  `CREATE TABLE vapid_keys (
    id int PRIMARY KEY CHECK (id = 1),
    public_key text NOT NULL,
    sealed text NOT NULL
  )`,
  // One ends with its device, its user, and the credential that made it: a session, which lives in its user's personal
  // workspace, or an API key of the workspace.
  `CREATE TABLE push_subscriptions (
    workspace_id text COLLATE "C" NOT NULL,
    device_id text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    home_id text COLLATE "C",
    session_id text COLLATE "C",
    key_id text COLLATE "C",
    endpoint text COLLATE "C" NOT NULL,
    p256dh text NOT NULL,
    auth text NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, device_id),
    FOREIGN KEY (workspace_id, device_id) REFERENCES devices ON DELETE CASCADE,
    FOREIGN KEY (home_id, session_id) REFERENCES sessions ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, key_id) REFERENCES api_keys ON DELETE CASCADE,
    CHECK ((session_id IS NULL) <> (key_id IS NULL)),
    CHECK ((session_id IS NULL) = (home_id IS NULL))
  )`,
  `CREATE INDEX push_subscriptions_of_user ON push_subscriptions (user_id)`,
  `CREATE INDEX push_subscriptions_of_session ON push_subscriptions (home_id, session_id) WHERE session_id IS NOT NULL`,
  `CREATE INDEX push_subscriptions_of_key ON push_subscriptions (workspace_id, key_id) WHERE key_id IS NOT NULL`
]

export const webPush = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
