import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { orUnavailable } from "../storage/Database.ts"
import type { NoteVersion } from "./Note.ts"

/**
 * The history of a note: the superseded versions, and the note itself as the current one. A version without a body of
 * its own has that of the next version which has one, or the note's.
 */
const history = `SELECT v.version, v.note_id, v.title,
    coalesce(v.body, (SELECT w.body FROM note_versions w WHERE w.workspace_id = v.workspace_id
      AND w.note_id = v.note_id AND w.version > v.version AND w.body IS NOT NULL ORDER BY w.version LIMIT 1), n.body) AS body,
    v.tags, v.notebook_id, v.word_count, v.author_id, v.created_at, v.restored_from, v.pinned, v.archived
  FROM notes n JOIN note_versions v ON v.workspace_id = n.workspace_id AND v.note_id = n.id
  WHERE n.workspace_id = $1 AND n.id = $2 AND n.deleted_at IS NULL
  UNION ALL
  SELECT version, id, title, body, tags, notebook_id, word_count, author_id, updated_at, restored_from, pinned, archived
  FROM notes WHERE workspace_id = $1 AND id = $2 AND deleted_at IS NULL`

export const versionMembers = ["version", "note_id", "title", "body", "tags", "notebook_id", "word_count", "author_id", "created_at",
  "restored_from"]

const versionText = `SELECT ${versionMembers.join(", ")} FROM (${history}) h WHERE version = $3::int`

/** A version of a note outside the trash, whole; undefined where there is none. */
export const versionAt = (sql: PgClient, workspace_id: string, note_id: string, version: number) =>
  orUnavailable(sql.unsafe<NoteVersion>(versionText, [workspace_id, note_id, String(version)])).pipe(
    Effect.map((rows) => rows[0])
  )

/** What `Lists` reads the history from: $2 is the note. */
export const versionsTable = `(SELECT $1::text AS workspace_id, note_id AS id, h.* FROM (${history}) h) v`
