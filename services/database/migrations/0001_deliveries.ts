/** Webhooks, mails and notifications, with their queues. */
export const deliveries: ReadonlyArray<string> = [
  // `scopes`: what the user who set it up last may read. Its secrets are sealed. `created_by`, `updated_by`: null for
  // the operator.
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
    created_by text COLLATE "C",
    updated_by text COLLATE "C",
    expires_at text COLLATE "C",
    ends_with text COLLATE "C",
    PRIMARY KEY (workspace_id, id),
    CONSTRAINT webhooks_ends CHECK (ends_with IS NULL OR expires_at IS NOT NULL)
  )`,
  // `position`: up to there the log has been made deliveries. A node that works on a webhook is its `holder` until
  // `held_until`, or until the process of the number `presence` is gone. `due_at`: when its next delivery is; null when
  // none waits. `is_full`: as many wait as may.
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
    is_slow boolean NOT NULL DEFAULT true,
    PRIMARY KEY (workspace_id, webhook_id),
    FOREIGN KEY (workspace_id, webhook_id) REFERENCES webhooks ON DELETE CASCADE
  )`,
  `CREATE INDEX webhook_cursors_due ON webhook_cursors (due_at) WHERE due_at IS NOT NULL`,
  // A row per attempt. `body`: what is sent, the same on each attempt; of a finished one, its beginning; null where it
  // is made of the log when it is needed. `chars`: its length, wherever it is.
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
    chars int NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, webhook_id) REFERENCES webhooks ON DELETE CASCADE
  )`,
  // Two requests cannot make the same attempt.
  `CREATE UNIQUE INDEX webhook_deliveries_attempts ON webhook_deliveries (workspace_id, webhook_id, event_id, attempt)`,
  `CREATE INDEX webhook_deliveries_due ON webhook_deliveries (workspace_id, webhook_id, next_attempt_at)
    WHERE status = 'pending'`,
  `CREATE INDEX webhook_deliveries_list ON webhook_deliveries (workspace_id, webhook_id, created_at, id)`,
  `CREATE INDEX webhook_deliveries_of ON webhook_deliveries (workspace_id, resource_id)`,
  `CREATE TABLE mails (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    recipient text NOT NULL,
    sealed text NOT NULL,
    attempts int NOT NULL,
    next_at text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    claimed_by int,
    PRIMARY KEY (workspace_id, id)
  )`,
  `CREATE INDEX mails_claimed ON mails (claimed_by) WHERE claimed_by IS NOT NULL`,
  `CREATE INDEX mails_created ON mails (created_at, id)`,
  `CREATE INDEX mails_due ON mails (next_at)`,
  // Workspaces take turns: the oldest mail of one is found without those of the others.
  `CREATE INDEX mails_turns ON mails (workspace_id, next_at)`,
  // Mails that were given up, which an operator can send again.
  `CREATE TABLE failed_mails (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    recipient text NOT NULL,
    sealed text NOT NULL,
    attempts int NOT NULL,
    error text NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    failed_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, id)
  )`,
  `CREATE INDEX failed_mails_created ON failed_mails (created_at, id)`,
  `CREATE INDEX failed_mails_ended ON failed_mails (failed_at)`,
  `CREATE TABLE reminder_pushes (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    reminder_id text COLLATE "C" NOT NULL,
    payload text NOT NULL,
    devices text[] NOT NULL,
    attempts int NOT NULL,
    next_at text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    claimed_by int,
    PRIMARY KEY (workspace_id, id)
  )`,
  `CREATE INDEX reminder_pushes_claimed ON reminder_pushes (claimed_by) WHERE claimed_by IS NOT NULL`,
  `CREATE INDEX reminder_pushes_due ON reminder_pushes (next_at)`,
  `CREATE INDEX reminder_pushes_turns ON reminder_pushes (user_id, next_at)`,
  // The pair of this installation, one row: browsers are bound to the one that they subscribed with.
  `CREATE TABLE vapid_keys (
    id int PRIMARY KEY CHECK (id = 1),
    public_key text NOT NULL,
    sealed text NOT NULL
  )`,
  // One ends with its device, its user, and the credential that made it: a session, which lives in its user's personal
  // workspace, or an API key of the workspace. `ends_with`: the digest of the secret that subscribed, if it was
  // replaced by then.
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
    ends_with text COLLATE "C",
    PRIMARY KEY (workspace_id, device_id),
    FOREIGN KEY (home_id, session_id) REFERENCES sessions ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, device_id) REFERENCES devices ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, key_id) REFERENCES api_keys ON DELETE CASCADE,
    CHECK ((session_id IS NULL) <> (key_id IS NULL)),
    CHECK ((session_id IS NULL) = (home_id IS NULL))
  )`,
  `CREATE INDEX push_subscriptions_of_key ON push_subscriptions (workspace_id, key_id) WHERE key_id IS NOT NULL`,
  `CREATE INDEX push_subscriptions_of_session ON push_subscriptions (home_id, session_id) WHERE session_id IS NOT NULL`,
  `CREATE INDEX push_subscriptions_of_user ON push_subscriptions (user_id)`
]
