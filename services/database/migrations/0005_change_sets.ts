import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Change sets and their reverts (contract 9, Change sets). */
const statements = [
  `CREATE TABLE change_sets (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    origin text COLLATE "C" NOT NULL,
    author_id text COLLATE "C",
    credential_id text COLLATE "C",
    api_key_id text COLLATE "C",
    app text,
    import_id text COLLATE "C",
    reverts text COLLATE "C",
    size int NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    updated_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, id)
  )`,
  `CREATE INDEX change_sets_list ON change_sets (workspace_id, created_at, id)`,
  // Finds the set of an MCP caller.
  `CREATE INDEX change_sets_of_credential ON change_sets (workspace_id, credential_id, created_at)
    WHERE credential_id IS NOT NULL`,
  // Finds what is due for deletion.
  `CREATE INDEX change_sets_age ON change_sets (created_at)`,
  // \`before\`: the record before the change, if no history has it.
  `CREATE TABLE change_set_changes (
    workspace_id text COLLATE "C" NOT NULL,
    change_set_id text COLLATE "C" NOT NULL,
    type text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    revision int NOT NULL,
    deleted boolean NOT NULL,
    bytes int NOT NULL,
    previous int,
    before json,
    note_id text COLLATE "C",
    PRIMARY KEY (workspace_id, change_set_id, type, id, seq)
  )`,
  // Finds the texts that are erased with a note.
  `CREATE INDEX change_set_changes_texts ON change_set_changes (workspace_id, note_id)
    WHERE note_id IS NOT NULL AND before IS NOT NULL`,
  `CREATE TABLE reverts (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    change_set_id text COLLATE "C" NOT NULL,
    reverted_by text COLLATE "C",
    preview boolean NOT NULL,
    status text COLLATE "C" NOT NULL,
    records int NOT NULL,
    reverted int NOT NULL,
    merged int NOT NULL,
    kept int NOT NULL,
    author_id text COLLATE "C",
    progress text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, id)
  )`,
  `CREATE INDEX reverts_of_set ON reverts (workspace_id, change_set_id, preview, created_at, id)`,
  // Finds the reverts that wait or run.
  `CREATE INDEX reverts_status ON reverts (workspace_id, status)`,
  `CREATE INDEX reverts_age ON reverts (created_at)`,
  // The outcome for each record of a revert.
  `CREATE TABLE revert_outcomes (
    workspace_id text COLLATE "C" NOT NULL,
    revert_id text COLLATE "C" NOT NULL,
    ordinal int NOT NULL,
    type text COLLATE "C" NOT NULL,
    record_id text COLLATE "C" NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    reason text COLLATE "C",
    members text[] NOT NULL,
    PRIMARY KEY (workspace_id, revert_id, ordinal)
  )`,
  // The queue of reverts.
  `CREATE TABLE due_reverts (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    attempts int NOT NULL,
    next_at text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    claimed_by int,
    PRIMARY KEY (workspace_id, id)
  )`,
  `CREATE INDEX due_reverts_claimed ON due_reverts (claimed_by) WHERE claimed_by IS NOT NULL`,
  `CREATE INDEX due_reverts_due ON due_reverts (next_at)`,
  `CREATE INDEX due_reverts_turns ON due_reverts (workspace_id, next_at)`,
  // Erases the texts of a note with it, whichever statement deletes it.
  `CREATE FUNCTION erase_note_in_change_sets() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE change_set_changes SET before = NULL
    WHERE workspace_id = OLD.workspace_id AND note_id = OLD.id AND before IS NOT NULL;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER notes_erased_in_change_sets AFTER DELETE ON notes
    FOR EACH ROW EXECUTE FUNCTION erase_note_in_change_sets()`
]

export const changeSets = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
