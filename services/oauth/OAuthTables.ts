import type { App } from "../identity/IdentityTables.ts"
import * as Column from "../tables/Column.ts"
import * as Table from "../tables/Table.ts"

/** Authorization codes in the personal workspaces of their users, by the digest. */
export const codes = Table.make(
  "authorization_codes",
  {
    hash: Column.text(),
    user_id: Column.text(),
    app: Column.json<App>(),
    redirect_uri: Column.text(),
    /** The challenge of PKCE: the verifier's SHA-256 in base64url (RFC 7636). */
    challenge: Column.text(),
    /** The session that the code was exchanged for. */
    session_id: Column.nullable(Column.text()),
    used_at: Column.nullable(Column.text()),
    expires_at: Column.text()
  },
  { key: ["hash"] }
)
