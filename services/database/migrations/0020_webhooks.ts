import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // `scopes`: what whoever set it up last may read. Its secrets are sealed.
  `CREATE TABLE webhooks (
    workspace_id text COLLATE "C" NOT NULL REFERENCES heads,
    id text COLLATE "C" NOT NULL,
    url text COLLATE "C" NOT NULL,
    events text[] NOT NULL,
    scopes text[] NOT NULL,
    secret text NOT NULL,
    previous_secret text,
    previous_secret_expires_at text COLLATE "C",
    active boolean NOT NULL,
    disabled_reason text COLLATE "C",
    created_at text COLLATE "C" NOT NULL,
    updated_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, id)
  )`,
  // How far a webhook is. `position`: up to there the log has been made deliveries. A node that works on it is its
  // `holder` until `held_until`, or until the process of the number `presence` is gone. `due_at`: when its next delivery is; null when none waits.
  // `is_full`: as many wait as may.
  `CREATE TABLE webhook_cursors (
    workspace_id text COLLATE "C" NOT NULL,
    webhook_id text COLLATE "C" NOT NULL,
    position bigint NOT NULL,
    holder text,
    presence int,
    held_until text COLLATE "C" NOT NULL DEFAULT '',
    due_at text COLLATE "C",
    is_full boolean NOT NULL DEFAULT false,
    failing_since text COLLATE "C",
    last_used_at text COLLATE "C",
    PRIMARY KEY (workspace_id, webhook_id),
    FOREIGN KEY (workspace_id, webhook_id) REFERENCES webhooks ON DELETE CASCADE
  )`,
  `CREATE INDEX webhook_cursors_due ON webhook_cursors (due_at) WHERE due_at IS NOT NULL`,
  // `body`: what is sent, the same on each try; of one that is finished, its beginning.
  `CREATE TABLE webhook_deliveries (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    webhook_id text COLLATE "C" NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    event_type text COLLATE "C" NOT NULL,
    resource_id text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL,
    attempt int NOT NULL,
    status_code int,
    latency_ms int,
    error text,
    next_attempt_at text COLLATE "C",
    created_at text COLLATE "C" NOT NULL,
    body text,
    request json,
    response json,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, webhook_id) REFERENCES webhooks ON DELETE CASCADE
  )`,
  `CREATE INDEX webhook_deliveries_list ON webhook_deliveries (workspace_id, webhook_id, created_at, id)`,
  `CREATE INDEX webhook_deliveries_due ON webhook_deliveries (workspace_id, webhook_id, next_attempt_at)
    WHERE status = 'pending'`,
  `CREATE INDEX webhook_deliveries_of ON webhook_deliveries (workspace_id, resource_id)`,
  // What was sent of a note goes with the note. What is still to be sent of it says only that it is gone.
  `CREATE FUNCTION erase_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE webhook_deliveries SET body = NULL WHERE workspace_id = OLD.workspace_id AND resource_id = OLD.id;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER notes_erase_deliveries AFTER DELETE ON notes FOR EACH ROW EXECUTE FUNCTION erase_deliveries()`
]

export const webhooks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
