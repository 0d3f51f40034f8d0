import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Tokens that confirm an address, each by its digest and for the address that it was mailed to. */
export const emailConfirmations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`CREATE TABLE email_confirmations (
    workspace_id text COLLATE "C" NOT NULL,
    hash text COLLATE "C" NOT NULL UNIQUE,
    user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    email_key text COLLATE "C" NOT NULL,
    expires_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, hash)
  )`)
})
