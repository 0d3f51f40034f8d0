/** Credentials of users. */
export const accounts: ReadonlyArray<string> = [
  // `authenticated_at`: when the user last proved to be who they are.
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
    authenticated_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, id)
  )`,
  `CREATE UNIQUE INDEX sessions_previous ON sessions (previous_access_hash) WHERE previous_access_hash IS NOT NULL`,
  // All that were issued for a session that lives: one that is used twice was stolen. `family`: the hash of what all
  // tokens of a session begin with.
  `CREATE TABLE refresh_tokens (
    workspace_id text COLLATE "C" NOT NULL,
    hash text COLLATE "C" NOT NULL UNIQUE,
    session_id text COLLATE "C" NOT NULL,
    used_at text COLLATE "C",
    expires_at text COLLATE "C" NOT NULL,
    family text COLLATE "C",
    PRIMARY KEY (workspace_id, hash),
    FOREIGN KEY (workspace_id, session_id) REFERENCES sessions ON DELETE CASCADE
  )`,
  `CREATE INDEX refresh_tokens_family ON refresh_tokens (family) WHERE family IS NOT NULL`,
  `CREATE INDEX refresh_tokens_session ON refresh_tokens (workspace_id, session_id)`,
  // `email_key`: the address that the token was mailed to.
  `CREATE TABLE password_resets (
    workspace_id text COLLATE "C" NOT NULL,
    hash text COLLATE "C" NOT NULL UNIQUE,
    user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    expires_at text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    email_key text COLLATE "C",
    PRIMARY KEY (workspace_id, hash)
  )`,
  `CREATE TABLE email_confirmations (
    workspace_id text COLLATE "C" NOT NULL,
    hash text COLLATE "C" NOT NULL UNIQUE,
    user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    email_key text COLLATE "C" NOT NULL,
    expires_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, hash)
  )`,
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
  `CREATE UNIQUE INDEX setup_links_used ON setup_links (user_id) WHERE used_at IS NOT NULL`,
  // Deleted accounts whose end is not complete. `email_key`: null if the address was not confirmed.
  `CREATE TABLE account_deletions (
    user_id text COLLATE "C" PRIMARY KEY,
    home_id text COLLATE "C" NOT NULL,
    email_key text COLLATE "C",
    name text NOT NULL,
    by_operator boolean NOT NULL,
    deleted_at text COLLATE "C" NOT NULL
  )`
]
