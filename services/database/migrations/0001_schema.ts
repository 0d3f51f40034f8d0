import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { accounts } from "./0001_accounts.ts"
import { deliveries } from "./0001_deliveries.ts"
import { erasure } from "./0001_erasure.ts"
import { log } from "./0001_log.ts"
import { notes } from "./0001_notes.ts"
import { parts } from "./0001_parts.ts"
import { server } from "./0001_server.ts"
import { transfers } from "./0001_transfers.ts"
import { workspaces } from "./0001_workspaces.ts"

/**
 * Timestamps are text, RFC 3339 in UTC with milliseconds, of one width: they sort as time does, and no layer converts
 * them. Ids, hashes and timestamps carry `COLLATE "C"`, whatever the database was made with, so that their order is that
 * of bytes, and cheap. Each key of a workspace's table is led by `workspace_id`.
 */
const statements = [
  ...workspaces,
  ...accounts,
  ...notes,
  ...parts,
  ...log,
  ...deliveries,
  ...transfers,
  ...server,
  ...erasure
]

/** The schema as it is first released. Later migrations change it; this one is never edited. */
export const schema = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
