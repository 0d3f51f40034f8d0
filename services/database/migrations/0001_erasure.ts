/**
 * Purging a note erases its text in the log, in deliveries and in stored responses (contract 5), whichever statement
 * deletes it.
 */
export const erasure: ReadonlyArray<string> = [
  // A body without its record. Before that come types, ids and times, in which `"resource":` cannot occur.
  `CREATE FUNCTION erased_body(body text) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN substr(body, 1, strpos(body, '"resource":') + 10) || 'null}}'`,
  // An endpoint may return the body that was sent to it.
  `CREATE FUNCTION erased_response(response json) RETURNS json LANGUAGE sql STABLE STRICT
    RETURN json_build_object('headers', response -> 'headers', 'body', NULL)`,
  // The index of the keys is read as a bitmap, which connections avoid; and the workspace, by which the planner would
  // choose other indexes, is compared last.
  `CREATE FUNCTION erase_note() RETURNS trigger LANGUAGE plpgsql SET enable_bitmapscan = on AS $$
  DECLARE ids text[] = ARRAY(SELECT DISTINCT resource_id FROM changes
    WHERE workspace_id = OLD.workspace_id AND note_id = OLD.id) || OLD.id;
  BEGIN
    UPDATE changes SET data = NULL
    WHERE workspace_id = OLD.workspace_id AND note_id = OLD.id AND resource <> 'note' AND type NOT LIKE '%.deleted';
    UPDATE webhook_deliveries SET body = erased_body(body), response = erased_response(response)
    WHERE workspace_id = OLD.workspace_id AND resource_id = ANY (ids);
    UPDATE idempotency_keys SET result = NULL, answer = NULL, erased = true
    WHERE ctid = ANY (ARRAY(SELECT k.place FROM (
      SELECT ctid AS place, workspace_id FROM idempotency_keys WHERE resource_ids && ids OFFSET 0
    ) k WHERE k.workspace_id = OLD.workspace_id));
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER notes_erased AFTER DELETE ON notes FOR EACH ROW EXECUTE FUNCTION erase_note()`
]
