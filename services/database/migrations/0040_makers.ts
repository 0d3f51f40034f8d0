import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const now = `to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** The user of the last entry of these types about a webhook, in what is left of the audit log. */
const actorOf = (actions: string) => `(SELECT a.actor_id FROM audit_entries a
    WHERE a.workspace_id = w.workspace_id AND a.action IN (${actions}) AND a.resource_id = w.id
    ORDER BY a.id DESC LIMIT 1)`

const isMember = (workspace_id: string, user_id: string) =>
  `EXISTS (SELECT FROM members m WHERE m.workspace_id = ${workspace_id} AND m.user_id = ${user_id})`

const statements = [
  // `created_by`, `updated_by`: null for the operator, and where the audit log does not say it any more.
  `ALTER TABLE webhooks ADD COLUMN created_by text COLLATE "C", ADD COLUMN updated_by text COLLATE "C",
    ADD COLUMN expires_at text COLLATE "C"`,
  `UPDATE webhooks w SET created_by = ${actorOf("'webhook.created'")},
    updated_by = ${actorOf("'webhook.created', 'webhook.updated'")}`,
  `UPDATE webhooks w SET active = false, disabled_reason = 'creator_left', updated_at = ${now}
    WHERE active AND (NOT ${isMember("w.workspace_id", "w.created_by")} AND w.created_by IS NOT NULL
      OR NOT ${isMember("w.workspace_id", "w.updated_by")} AND w.updated_by IS NOT NULL)`,
  `ALTER TABLE shares RENAME COLUMN author_id TO created_by`,
  `UPDATE shares s SET expires_at = ${now}, revision = revision + 1
    WHERE created_by IS NOT NULL AND (expires_at IS NULL OR expires_at > ${now}) AND NOT EXISTS (
      SELECT FROM members m
      WHERE m.workspace_id = s.workspace_id AND m.user_id = s.created_by AND m.role <> 'viewer')`,
  // The credential that a record ends with: the id of an API key that expires, or the digest of a replaced secret.
  ...["webhooks", "shares", "invitations", "api_keys"].map(
    (table) =>
      `ALTER TABLE ${table} ADD COLUMN ends_with text COLLATE "C",
        ADD CONSTRAINT ${table}_ends CHECK (ends_with IS NULL OR expires_at IS NOT NULL)`
  ),
  // The digest of the secret that subscribed, if it was replaced by then; the key has its end.
  `ALTER TABLE push_subscriptions ADD COLUMN ends_with text COLLATE "C"`
]

/** Who made webhooks and shares, and which credential they end with. */
export const makers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
