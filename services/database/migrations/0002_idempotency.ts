import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // What was answered to whom, for 24 hours. `result` is written with the change that it is the result of.
  `CREATE TABLE idempotency_keys (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    claimed_at text COLLATE "C" NOT NULL,
    result text,
    answer text,
    resource_ids text[] NOT NULL DEFAULT '{}',
    erased boolean NOT NULL DEFAULT false,
    created_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, id)
  )`,
  `CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at)`,
  // Purging a note erases its content everywhere (contract 5), whichever statement deletes it.
  `CREATE FUNCTION erase_answers() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE idempotency_keys SET result = NULL, answer = NULL, erased = true
    WHERE workspace_id = OLD.workspace_id AND OLD.id = ANY (resource_ids);
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER notes_erase_answers AFTER DELETE ON notes FOR EACH ROW EXECUTE FUNCTION erase_answers()`
]

export const idempotency = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
