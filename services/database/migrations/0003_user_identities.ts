import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Sign-in by OpenID providers (contract 4, Sign-in by a provider). */
const statements = [
  `CREATE TABLE user_identities (
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces,
    id text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    issuer text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    -- The address that the provider has named last. No sign-in depends on it.
    email text,
    created_at text COLLATE "C" NOT NULL,
    last_sign_in_at text COLLATE "C",
    PRIMARY KEY (workspace_id, id),
    UNIQUE (issuer, subject)
  )`,
  `CREATE INDEX user_identities_of_user ON user_identities (user_id)`,
  `CREATE TABLE identity_links (
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces,
    hash text COLLATE "C" NOT NULL UNIQUE,
    user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    expires_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, hash)
  )`,
  `CREATE INDEX identity_links_expiry ON identity_links (expires_at)`,
  // Sign-ins whose response was received, by the digest of their state: each works once, on all nodes.
  `CREATE TABLE used_sign_ins (
    hash text COLLATE "C" PRIMARY KEY,
    expires_at text COLLATE "C" NOT NULL
  )`,
  `CREATE INDEX used_sign_ins_expiry ON used_sign_ins (expires_at)`,
  `ALTER TABLE sessions ADD COLUMN signed_in_by text NOT NULL DEFAULT 'password'`,
  // The encrypted ID token, with which the provider recognizes the session that a sign-out ends.
  `ALTER TABLE sessions ADD COLUMN id_token text`
]

export const userIdentities = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
