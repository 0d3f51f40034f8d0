/** The records whose entries can have the address or the name of a user. */
export const aboutUsers = "('member', 'invitation', 'workspace')"

/** Workspaces, their members, keys and audit log. */
export const workspaces: ReadonlyArray<string> = [
  // `purge_at`: when the operator asked for the erasure of a deleted workspace, before its 31 days.
  `CREATE TABLE workspaces (
    workspace_id text COLLATE "C" PRIMARY KEY,
    name text NOT NULL,
    slug text COLLATE "C" NOT NULL UNIQUE,
    plan text NOT NULL CHECK (plan IN ('free', 'plus', 'team')),
    seats int NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    deleted_at text COLLATE "C",
    purge_at text COLLATE "C",
    CHECK (purge_at IS NULL OR deleted_at IS NOT NULL)
  )`,
  // `workspace_id`: the personal workspace. `suspended_at`: since when its credentials are refused.
  `CREATE TABLE users (
    id text COLLATE "C" PRIMARY KEY,
    email text NOT NULL,
    email_key text COLLATE "C" NOT NULL UNIQUE,
    name text NOT NULL,
    locale text NOT NULL,
    timezone text NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    workspace_id text COLLATE "C" NOT NULL UNIQUE,
    password_hash text,
    email_proven boolean NOT NULL DEFAULT false,
    security_mails boolean NOT NULL DEFAULT true,
    is_operator boolean NOT NULL,
    suspended_at text COLLATE "C",
    UNIQUE (workspace_id, id),
    CONSTRAINT users_workspace FOREIGN KEY (workspace_id) REFERENCES workspaces DEFERRABLE INITIALLY DEFERRED
  )`,
  // The lists of operators are over all workspaces.
  `CREATE INDEX users_created ON users (created_at, id)`,
  `CREATE TABLE members (
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces DEFERRABLE INITIALLY DEFERRED,
    id text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL REFERENCES users DEFERRABLE INITIALLY DEFERRED,
    role text NOT NULL CHECK (role IN ('owner', 'admin', 'editor', 'viewer')),
    created_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, user_id)
  )`,
  `CREATE INDEX members_user ON members (user_id)`,
  `CREATE FUNCTION keep_owner() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT 1 FROM workspaces WHERE workspace_id = OLD.workspace_id AND deleted_at IS NULL)
      AND NOT EXISTS (
        SELECT 1 FROM members m WHERE m.workspace_id = OLD.workspace_id AND m.role = 'owner'
          AND NOT EXISTS (SELECT 1 FROM account_deletions d WHERE d.user_id = m.user_id)
      )
    THEN
      RAISE EXCEPTION 'a workspace keeps an owner' USING ERRCODE = '23514', CONSTRAINT = 'members_last_owner';
    END IF;
    RETURN NULL;
  END $$`,
  `CREATE CONSTRAINT TRIGGER members_last_owner AFTER UPDATE OF role OR DELETE ON members
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.role = 'owner') EXECUTE FUNCTION keep_owner()`,
  // `open`: neither accepted nor followed by a later one to the same address. `ends_with`: the credential that a record
  // ends with, the id of an API key that expires, or the digest of a replaced secret.
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
    is_mailed boolean NOT NULL DEFAULT false,
    ends_with text COLLATE "C",
    PRIMARY KEY (workspace_id, id),
    CONSTRAINT invitations_ends CHECK (ends_with IS NULL OR expires_at IS NOT NULL)
  )`,
  `CREATE INDEX invitations_age ON invitations (expires_at)`,
  `CREATE UNIQUE INDEX invitations_open ON invitations (workspace_id, email_key) WHERE open`,
  `CREATE TABLE api_keys (
    id text COLLATE "C" NOT NULL,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces,
    user_id text COLLATE "C" NOT NULL REFERENCES users,
    name text NOT NULL,
    prefix text NOT NULL,
    secret_hash text COLLATE "C" NOT NULL UNIQUE,
    scopes text[] NOT NULL,
    expires_at text COLLATE "C",
    last_used_at text COLLATE "C",
    created_at text COLLATE "C" NOT NULL,
    previous_secret_hash text COLLATE "C",
    previous_secret_expires_at text COLLATE "C",
    ends_with text COLLATE "C",
    PRIMARY KEY (workspace_id, id),
    CONSTRAINT api_keys_ends CHECK (ends_with IS NULL OR expires_at IS NOT NULL)
  )`,
  `CREATE INDEX api_keys_of_user ON api_keys (user_id)`,
  `CREATE UNIQUE INDEX api_keys_previous ON api_keys (previous_secret_hash) WHERE previous_secret_hash IS NOT NULL`,
  `CREATE INDEX api_keys_user ON api_keys (workspace_id, user_id)`,
  // The order of a workspace, and its counters. Narrow, and half empty pages, so that each update stays on its page
  // without index work. No check that all counters are above 0: a wrong count must not keep a client from deleting.
  // `least_revision`: the least revision that a change gives to a record, above all that were given in a history that a
  // restore has ended.
  `CREATE TABLE heads (
    workspace_id text COLLATE "C" PRIMARY KEY REFERENCES workspaces DEFERRABLE INITIALLY DEFERRED,
    seq bigint NOT NULL CHECK (seq >= 0),
    epoch text NOT NULL,
    notes bigint NOT NULL CHECK (notes >= 0),
    text_bytes bigint NOT NULL DEFAULT 0,
    tags bigint NOT NULL DEFAULT 0,
    notebooks bigint NOT NULL DEFAULT 0,
    templates bigint NOT NULL DEFAULT 0,
    attachments bigint NOT NULL DEFAULT 0,
    file_bytes bigint NOT NULL DEFAULT 0,
    comments bigint NOT NULL DEFAULT 0,
    reminders bigint NOT NULL DEFAULT 0,
    shares bigint NOT NULL DEFAULT 0,
    least_revision int NOT NULL DEFAULT 1
  ) WITH (fillfactor = 50)`,
  // The last restore of each workspace. A backup does not contain it.
  `CREATE TABLE restores (
    workspace_id text COLLATE "C" PRIMARY KEY REFERENCES workspaces,
    backup_at text COLLATE "C",
    restored_at text COLLATE "C" NOT NULL,
    ends_credentials boolean NOT NULL,
    announced boolean NOT NULL
  )`,
  `CREATE INDEX restores_unannounced ON restores (workspace_id) WHERE NOT announced`,
  `CREATE TABLE request_days (
    workspace_id text COLLATE "C" NOT NULL,
    date text COLLATE "C" NOT NULL,
    api_requests bigint NOT NULL,
    PRIMARY KEY (workspace_id, date)
  )`,
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
  `CREATE INDEX audit_entries_by_operator ON audit_entries (id) WHERE metadata ->> 'by' = 'operator'`,
  // The entries that can have the address or the name of a user.
  `CREATE INDEX audit_entries_people ON audit_entries (workspace_id, id) WHERE resource_type IN ${aboutUsers}`,
  // An entry changes in one way: the erasure of a user puts a pseudonym in the place of an address or a name, and
  // removes the old and the new value of a change.
  `CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF to_jsonb(NEW) - 'metadata' = to_jsonb(OLD) - 'metadata' AND (
      (
        NEW.metadata::jsonb - 'email' - 'name' = OLD.metadata::jsonb - 'email' - 'name'
        AND (NEW.metadata ->> 'email' IS NOT DISTINCT FROM OLD.metadata ->> 'email'
          OR NEW.metadata ->> 'email' LIKE 'us\\_%@erased.invalid')
        AND (NEW.metadata ->> 'name' IS NOT DISTINCT FROM OLD.metadata ->> 'name'
          OR NEW.resource_type = 'workspace' AND NEW.metadata ->> 'name' = 'Personal')
      )
      OR NEW.action IN ('auth.email_changed', 'auth.name_changed')
        AND NEW.metadata::jsonb = OLD.metadata::jsonb - 'from' - 'to'
    )
    THEN
      RETURN NEW;
    END IF;
    RAISE EXCEPTION 'audit entries are never changed' USING ERRCODE = '23514', CONSTRAINT = 'audit_entries_unchanged';
  END $$`,
  `CREATE TRIGGER audit_entries_unchanged BEFORE UPDATE ON audit_entries FOR EACH ROW EXECUTE FUNCTION refuse_change()`
]
