import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Chooses an operator for a database whose versions had none: the owner of the oldest workspace with a confirmed address,
 * or else the first user. A migration runs once, so that an operator whose right was ended later is never chosen again;
 * the audit log shows one whose right was ended before. The next start marks the user (`FirstOperator`).
 */
const statements = [
  `CREATE TABLE chosen_operators (user_id text COLLATE "C" PRIMARY KEY)`,
  `INSERT INTO chosen_operators (user_id)
    SELECT u.id FROM users u
    LEFT JOIN LATERAL (
      SELECT min(w.created_at) AS since FROM members m JOIN workspaces w ON w.workspace_id = m.workspace_id
      WHERE m.user_id = u.id AND m.role = 'owner' AND w.deleted_at IS NULL AND u.email_proven
    ) owned ON true
    WHERE u.suspended_at IS NULL AND NOT EXISTS (SELECT FROM account_deletions d WHERE d.user_id = u.id)
      AND NOT EXISTS (SELECT FROM users WHERE is_operator)
      AND NOT EXISTS (SELECT FROM audit_entries WHERE action IN ('auth.operator_added', 'auth.operator_removed'))
    ORDER BY owned.since NULLS LAST, u.created_at, u.id LIMIT 1`
]

export const firstOperator = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
