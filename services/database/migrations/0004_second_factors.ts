import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Second factors and passkeys (contract 4, Second factors). */
const statements = [
  `CREATE TABLE factors (
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces,
    id text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    kind text COLLATE "C" NOT NULL,
    name text NOT NULL,
    -- The encrypted secret of an authenticator app, and the last time step whose code was used.
    secret text,
    last_step bigint,
    -- The key of a passkey, and the host that it is for (WebAuthn, RP ID).
    credential_id text COLLATE "C" UNIQUE,
    public_key text,
    counter bigint,
    rp_id text,
    transports text[] NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    last_used_at text COLLATE "C",
    PRIMARY KEY (workspace_id, id),
    CHECK (kind = 'totp' AND secret IS NOT NULL
      OR kind = 'passkey' AND num_nulls(credential_id, public_key, counter, rp_id) = 0)
  )`,
  `CREATE INDEX factors_of_user ON factors (user_id)`,
  `CREATE TABLE recovery_codes (
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces,
    hash text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    PRIMARY KEY (workspace_id, hash)
  )`,
  `CREATE INDEX recovery_codes_of_user ON recovery_codes (user_id)`,
  // What completed a sign-in by password; null without a second factor.
  `ALTER TABLE sessions ADD COLUMN second_factor text`,
  // From when members need a sign-in with two factors; null if they do not.
  `ALTER TABLE workspaces ADD COLUMN second_factor_from text COLLATE "C"`
]

export const secondFactors = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
