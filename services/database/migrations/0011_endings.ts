import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // The keys that are about a note are found by it, however many the workspace has. It adds some 500 bytes of log to
  // a keyed write; a link table adds half of that, and as much again when its rows end. What is not sorted in yet stays short.
  `CREATE INDEX idempotency_keys_resources ON idempotency_keys USING gin (resource_ids) WITH (gin_pending_list_limit = 64)`,
  // Such an index is read as a bitmap, which the connections avoid; and the workspace, by which other indexes would be
  // gone through, is looked at last. The collation is the index's: by another it cannot be read.
  `CREATE OR REPLACE FUNCTION erase_answers() RETURNS trigger LANGUAGE plpgsql SET enable_bitmapscan = on AS $$
  BEGIN
    UPDATE idempotency_keys SET result = NULL, answer = NULL, erased = true
    WHERE ctid = ANY (ARRAY(SELECT k.place FROM (
      SELECT ctid AS place, workspace_id FROM idempotency_keys WHERE resource_ids @> ARRAY[OLD.id COLLATE "default"] OFFSET 0
    ) k WHERE k.workspace_id = OLD.workspace_id));
    RETURN NULL;
  END $$`,
  // What the jobs look for by its age.
  `CREATE INDEX records_tombstones ON records (changed_at) WHERE deleted`,
  `CREATE INDEX invitations_age ON invitations (expires_at)`
]

/** What ends by itself is found by what it ends by. */
export const endings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
