import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const hanging = "resource IN ('comment', 'attachment', 'reminder')"
const erased = "body = erased_body(body), response = erased_response(response)"

const statements = [
  // A body without its record. What stands before that are types, ids and times, in which `"resource":` cannot occur.
  `CREATE FUNCTION erased_body(body text) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN substr(body, 1, strpos(body, '"resource":') + 10) || 'null}}'`,
  // An endpoint may return what it was sent.
  `CREATE FUNCTION erased_response(response json) RETURNS json LANGUAGE sql STABLE STRICT
    RETURN json_build_object('headers', response -> 'headers', 'body', NULL)`,
  `CREATE OR REPLACE FUNCTION erase_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE webhook_deliveries SET ${erased} WHERE workspace_id = OLD.workspace_id AND resource_id = OLD.id;
    RETURN NULL;
  END $$`,
  `CREATE OR REPLACE FUNCTION erase_hanging() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE ids text[];
  BEGIN
    SELECT array_agg(DISTINCT resource_id) INTO ids FROM changes
    WHERE workspace_id = OLD.workspace_id AND ${hanging} AND data ->> 'note_id' = OLD.id;
    IF ids IS NULL THEN
      RETURN NULL;
    END IF;
    UPDATE changes SET data = NULL
    WHERE workspace_id = OLD.workspace_id AND ${hanging} AND data ->> 'note_id' = OLD.id AND type NOT LIKE '%.deleted';
    UPDATE webhook_deliveries SET ${erased} WHERE workspace_id = OLD.workspace_id AND resource_id = ANY (ids);
    UPDATE idempotency_keys SET result = NULL, answer = NULL, erased = true
    WHERE workspace_id = OLD.workspace_id AND resource_ids && ids;
    RETURN NULL;
  END $$`,
  // Bodies that were erased as a whole are those of their events again. The log is kept for longer than deliveries.
  `UPDATE webhook_deliveries d SET response = erased_response(d.response),
    body = '{"type":"' || c.type || '","timestamp":"' || c.occurred_at || '","data":{"id":"' || c.id ||
      '","workspace_id":"' || c.workspace_id || '","resource_type":"' || c.resource || '","resource_id":"' ||
      c.resource_id || '","actor_id":' || coalesce('"' || c.actor_id || '"', 'null') || ',"resource":null}}'
  FROM changes c WHERE d.body IS NULL AND c.workspace_id = d.workspace_id AND c.id = d.event_id`,
  `DELETE FROM webhook_deliveries WHERE body IS NULL`,
  `ALTER TABLE webhook_deliveries ALTER COLUMN body SET NOT NULL`
]

/** The body of a delivery of what was erased is the event's, without the record. */
export const erasedBodies = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
