import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const homeless = `FROM users u
  WHERE NOT EXISTS (SELECT FROM members m WHERE m.user_id = u.id AND m.role = 'owner')`

const statements = [
  // Everybody has a workspace of their own.
  `INSERT INTO workspaces (id, name, slug, plan, seats, created_at)
    SELECT 'ws_' || substr(u.id, 4), 'Personal', 'personal-' || lower(substr(u.id, 4)), 'free', 1, u.created_at ${homeless}`,
  `INSERT INTO heads (workspace_id, seq, epoch, notes) SELECT 'ws_' || substr(u.id, 4), 0, substr(u.id, 12), 0 ${homeless}`,
  `INSERT INTO members (workspace_id, id, user_id, role, created_at)
    SELECT 'ws_' || substr(u.id, 4), 'mb_' || substr(u.id, 4), u.id, 'owner', u.created_at ${homeless}`,
  `ALTER TABLE workspaces RENAME COLUMN id TO workspace_id`,
  // A workspace is born in one transaction with its head, its owner and, when it is a personal one, its user.
  `ALTER TABLE heads ALTER CONSTRAINT heads_workspace_id_fkey DEFERRABLE INITIALLY DEFERRED`,
  `ALTER TABLE members ALTER CONSTRAINT members_workspace_id_fkey DEFERRABLE INITIALLY DEFERRED`,
  `ALTER TABLE members ALTER CONSTRAINT members_user_id_fkey DEFERRABLE INITIALLY DEFERRED`,
  `CREATE INDEX members_user ON members (user_id)`,
  `CREATE FUNCTION keep_owner() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT 1 FROM workspaces WHERE workspace_id = OLD.workspace_id AND deleted_at IS NULL)
      AND NOT EXISTS (SELECT 1 FROM members WHERE workspace_id = OLD.workspace_id AND role = 'owner')
    THEN
      RAISE EXCEPTION 'a workspace keeps an owner' USING ERRCODE = '23514', CONSTRAINT = 'members_last_owner';
    END IF;
    RETURN NULL;
  END $$`,
  `CREATE CONSTRAINT TRIGGER members_last_owner AFTER UPDATE OF role OR DELETE ON members
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.role = 'owner') EXECUTE FUNCTION keep_owner()`,

  // Whoever was there before keeps the first workspace that they own as their personal one.
  `ALTER TABLE users ADD COLUMN workspace_id text COLLATE "C" UNIQUE, ADD COLUMN password_hash text`,
  `UPDATE users u SET workspace_id = (
    SELECT workspace_id FROM members m WHERE m.user_id = u.id AND m.role = 'owner' ORDER BY created_at, workspace_id LIMIT 1
  )`,
  `ALTER TABLE users ALTER COLUMN workspace_id SET NOT NULL, ADD UNIQUE (workspace_id, id),
    ADD CONSTRAINT users_workspace FOREIGN KEY (workspace_id) REFERENCES workspaces DEFERRABLE INITIALLY DEFERRED`,

  `CREATE TABLE sessions (
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces,
    id text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    device_id text COLLATE "C" NOT NULL,
    device_name text NOT NULL,
    platform text NOT NULL,
    access_hash text COLLATE "C" NOT NULL UNIQUE,
    access_expires_at text COLLATE "C" NOT NULL,
    previous_access_hash text COLLATE "C",
    previous_access_expires_at text COLLATE "C",
    user_agent text,
    ip text,
    last_active_at text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    expires_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, id)
  )`,
  `CREATE UNIQUE INDEX sessions_previous ON sessions (previous_access_hash) WHERE previous_access_hash IS NOT NULL`,
  // All that were issued for a session that lives: a used one tells that it was stolen.
  `CREATE TABLE refresh_tokens (
    workspace_id text COLLATE "C" NOT NULL,
    hash text COLLATE "C" NOT NULL UNIQUE,
    session_id text COLLATE "C" NOT NULL,
    used_at text COLLATE "C",
    expires_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, hash),
    FOREIGN KEY (workspace_id, session_id) REFERENCES sessions ON DELETE CASCADE
  )`,
  `CREATE INDEX refresh_tokens_session ON refresh_tokens (workspace_id, session_id)`,
  `CREATE TABLE password_resets (
    workspace_id text COLLATE "C" NOT NULL,
    hash text COLLATE "C" NOT NULL UNIQUE,
    user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    expires_at text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, hash)
  )`,
  // open: neither accepted nor followed by a later one to the same address.
  `CREATE TABLE invitations (
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces,
    id text COLLATE "C" NOT NULL,
    email text NOT NULL,
    email_key text COLLATE "C" NOT NULL,
    role text NOT NULL CHECK (role IN ('owner', 'admin', 'editor', 'viewer')),
    token_hash text COLLATE "C" NOT NULL UNIQUE,
    open boolean NOT NULL,
    expires_at text COLLATE "C" NOT NULL,
    accepted_at text COLLATE "C",
    accepted_by text COLLATE "C",
    invited_by text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, id)
  )`,
  `CREATE UNIQUE INDEX invitations_open ON invitations (workspace_id, email_key) WHERE open`,
  `CREATE TABLE mails (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    recipient text NOT NULL,
    sealed text NOT NULL,
    attempts int NOT NULL,
    next_at text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, id)
  )`,
  `CREATE INDEX mails_due ON mails (next_at)`,
  // The ids begin with the time: the key is the order, and where retention cuts.
  `CREATE TABLE audit_entries (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    action text COLLATE "C" NOT NULL,
    actor_id text COLLATE "C",
    resource_type text COLLATE "C" NOT NULL,
    resource_id text COLLATE "C" NOT NULL,
    ip text,
    user_agent text,
    metadata json NOT NULL,
    occurred_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, id)
  )`,
  `CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'audit entries are never changed' USING ERRCODE = '23514', CONSTRAINT = 'audit_entries_unchanged';
  END $$`,
  `CREATE TRIGGER audit_entries_unchanged BEFORE UPDATE ON audit_entries FOR EACH ROW EXECUTE FUNCTION refuse_change()`,
  `CREATE TABLE request_days (
    workspace_id text COLLATE "C" NOT NULL,
    date text COLLATE "C" NOT NULL,
    api_requests bigint NOT NULL,
    PRIMARY KEY (workspace_id, date)
  )`,
  `CREATE INDEX api_keys_user ON api_keys (workspace_id, user_id)`
]

export const people = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
