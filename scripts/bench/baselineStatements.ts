/** The schema and the SQL of the baseline: each write is note row + history row + log row in one statement. */

export const SCHEMA = `
CREATE TABLE heads (workspace_id text PRIMARY KEY, seq bigint NOT NULL DEFAULT 0) WITH (fillfactor = 50);
CREATE TABLE notes (
  workspace_id text NOT NULL, id text NOT NULL, notebook_id text NOT NULL, title text NOT NULL, body text NOT NULL,
  tags text[] NOT NULL, pinned boolean NOT NULL, archived boolean NOT NULL DEFAULT false, version integer NOT NULL DEFAULT 1,
  word_count integer NOT NULL, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL, seq bigint NOT NULL,
  PRIMARY KEY (workspace_id, id));
CREATE INDEX ON notes (workspace_id, pinned DESC, updated_at DESC, id DESC) WHERE NOT archived;
CREATE TABLE note_versions (
  workspace_id text NOT NULL, note_id text NOT NULL, version integer NOT NULL, notebook_id text NOT NULL, title text NOT NULL,
  body text NOT NULL, tags text[] NOT NULL, word_count integer NOT NULL, author_id text NOT NULL, created_at timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, note_id, version));
CREATE TABLE changes (
  workspace_id text NOT NULL, seq bigint NOT NULL, type text NOT NULL, resource_id text NOT NULL, version integer NOT NULL,
  actor_id text NOT NULL, occurred_at timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, seq));`

const NOTE = "id, notebook_id, title, body, tags, pinned, archived, version, word_count, created_at, updated_at"

export const GET = `SELECT ${NOTE} FROM notes WHERE workspace_id = $1 AND id = $2`

export const LIST = `SELECT ${NOTE} FROM notes WHERE workspace_id = $1 AND NOT archived
  ORDER BY pinned DESC, updated_at DESC, id DESC LIMIT $2`

/** LATERAL with a LIMIT keeps the planner at the range scan in log order; as a plain join it read the whole workspace. */
export const PULL = `SELECT c.seq, c.actor_id, n.* FROM changes c CROSS JOIN LATERAL (
    SELECT ${NOTE} FROM notes WHERE workspace_id = c.workspace_id AND id = c.resource_id AND seq = c.seq LIMIT 1) n
  WHERE c.workspace_id = $1 AND c.seq > $2 ORDER BY c.seq LIMIT $3`

/** The history row and the log row of each row that the CTE `written` returned. */
const historyAndLog = (written: string, type: string, author: string): string => `
  ${written}_history AS (
    INSERT INTO note_versions (workspace_id, note_id, version, notebook_id, title, body, tags, word_count, author_id, created_at)
    SELECT workspace_id, id, version, notebook_id, title, body, tags, word_count, ${author}, updated_at FROM ${written}),
  ${written}_log AS (
    INSERT INTO changes (workspace_id, seq, type, resource_id, version, actor_id, occurred_at)
    SELECT workspace_id, seq, '${type}', id, version, ${author}, updated_at FROM ${written})`

const TAKE_SEQ = "head AS (UPDATE heads SET seq = seq + 1 WHERE workspace_id = $1 RETURNING seq)"

/** $1 workspace $2 id $3 notebook $4 title $5 body $6 tags $7 pinned $8 word_count $9 now $10 author. */
export const CREATE = `WITH ${TAKE_SEQ},
  created AS (
    INSERT INTO notes (workspace_id, id, notebook_id, title, body, tags, pinned, word_count, created_at, updated_at, seq)
    SELECT $1, $2, $3, $4, $5, $6::text[], $7::boolean, $8::integer, $9::timestamptz, $9::timestamptz, seq FROM head RETURNING *),
  ${historyAndLog("created", "note.created", "$10")}
  SELECT seq FROM created`

/** As CREATE, null leaves a field as it is; $11 is the version that the row must have (null: any). */
export const UPDATE = `WITH ${TAKE_SEQ},
  updated AS (
    UPDATE notes n SET notebook_id = coalesce($3, notebook_id), title = coalesce($4, title), body = coalesce($5, body),
      tags = coalesce($6, tags), pinned = coalesce($7, pinned), word_count = coalesce($8, word_count), updated_at = $9,
      version = version + 1, seq = head.seq
    FROM head WHERE n.workspace_id = $1 AND n.id = $2 AND version = coalesce($11, version) RETURNING n.*),
  ${historyAndLog("updated", "note.updated", "$10")}
  SELECT ${NOTE} FROM updated`

/** Both for many rows of many workspaces: $1 the rows as JSON (`nth` counts within the workspace from 1), $2 now, $3 author. */
export const WRITE_MANY = `WITH
  input AS MATERIALIZED (SELECT * FROM json_to_recordset($1::json) AS r(
    workspace_id text, nth integer, id text, notebook_id text, title text, body text, tags text[], pinned boolean,
    word_count integer, revision integer)),
  head AS (
    UPDATE heads h SET seq = seq + taken
    FROM (SELECT workspace_id, max(nth) AS taken FROM input GROUP BY workspace_id) t
    WHERE h.workspace_id = t.workspace_id RETURNING h.workspace_id, seq - taken AS base),
  created AS (
    INSERT INTO notes (workspace_id, id, notebook_id, title, body, tags, pinned, word_count, created_at, updated_at, seq)
    SELECT workspace_id, id, notebook_id, title, body, tags, pinned, word_count, $2::timestamptz, $2::timestamptz, base + nth
    FROM input JOIN head USING (workspace_id) WHERE revision = 0 RETURNING *),
  updated AS (
    UPDATE notes n SET notebook_id = coalesce(i.notebook_id, n.notebook_id), title = coalesce(i.title, n.title),
      body = coalesce(i.body, n.body), tags = coalesce(i.tags, n.tags), pinned = coalesce(i.pinned, n.pinned),
      word_count = coalesce(i.word_count, n.word_count), updated_at = $2, version = version + 1, seq = base + nth
    FROM input i JOIN head USING (workspace_id)
    WHERE n.workspace_id = i.workspace_id AND n.id = i.id AND i.revision IS DISTINCT FROM 0
      AND version = coalesce(i.revision, version) RETURNING n.*),
  ${historyAndLog("created", "note.created", "$3")},
  ${historyAndLog("updated", "note.updated", "$3")}
  SELECT workspace_id, ${NOTE} FROM updated`
