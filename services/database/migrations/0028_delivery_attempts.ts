import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // A row per attempt. What waited after failed tries becomes the last of them, and the attempt that waits.
  `CREATE TEMPORARY TABLE waiting ON COMMIT DROP AS
    SELECT * FROM webhook_deliveries WHERE status = 'pending' AND next_attempt_at IS NOT NULL AND attempt > 0`,
  `UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL, body = left(body, 16384)
    WHERE status = 'pending' AND next_attempt_at IS NOT NULL AND attempt > 0`,
  `INSERT INTO webhook_deliveries (workspace_id, id, webhook_id, event_id, event_type, resource_id, status, attempt,
      next_attempt_at, created_at, body)
    SELECT workspace_id, 'dl_' || left(replace(gen_random_uuid()::text, '-', ''), 22), webhook_id, event_id, event_type,
      resource_id, 'pending', attempt + 1, next_attempt_at, created_at, body
    FROM waiting`,
  // An attempt that was under way when the service was replaced has no result.
  `UPDATE webhook_deliveries SET status = 'failed', error = 'the attempt was cut short'
    WHERE status = 'pending' AND next_attempt_at IS NULL`,
  `UPDATE webhook_deliveries SET attempt = 1 WHERE attempt = 0`,
  // Two requests cannot make the same attempt.
  `CREATE UNIQUE INDEX webhook_deliveries_attempts
    ON webhook_deliveries (workspace_id, webhook_id, event_id, attempt)`
]

export const deliveryAttempts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
