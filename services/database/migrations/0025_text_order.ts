import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * `archived` and `pinned` lead: a list is read as the pinned notes and then the others, and hides one kind or shows it
 * alone. Each order is then read forwards and backwards.
 */
const ofNotes = (name: string, columns: string) => `CREATE INDEX ${name} ON notes (${columns}) WHERE deleted_at IS NULL`

const statements = [
  // As people read: by letters, then accents, then case, and numbers by value. Deterministic, so that keys of lists are exact.
  `CREATE COLLATION IF NOT EXISTS sheaf_text (provider = icu, locale = 'und-u-kn-true')`,
  ofNotes("notes_by_update", "workspace_id, archived, pinned, updated_at, id"),
  ofNotes("notes_by_creation", "workspace_id, archived, pinned, created_at, id"),
  ofNotes("notes_by_title", "workspace_id, archived, pinned, title COLLATE sheaf_text, id"),
  ofNotes("notes_by_words", "workspace_id, archived, pinned, word_count, id"),
  ofNotes("notes_by_version", "workspace_id, archived, pinned, version, id"),
  ofNotes("notes_by_pin", "workspace_id, archived, pinned, id"),
  ofNotes("notes_of_notebook_by_title", "workspace_id, notebook_id, archived, pinned, title COLLATE sheaf_text, id"),
  `CREATE INDEX templates_by_label ON templates (workspace_id, name COLLATE sheaf_text, id)`,
  `CREATE INDEX notebooks_by_name ON notebooks (workspace_id, name COLLATE sheaf_text, id)`,
  `CREATE INDEX tags_by_name ON tags (workspace_id, name COLLATE sheaf_text, id)`,
  `CREATE INDEX attachments_by_label ON attachments (workspace_id, filename COLLATE sheaf_text, id) WHERE NOT trashed`,
  `CREATE INDEX attachments_by_size ON attachments (workspace_id, coalesce(size, -1), id) WHERE NOT trashed`,
  // Last: reads wait for what drops an index, until the end of the migrations, and not for what creates one.
  `DROP INDEX notes_list, templates_by_name, attachments_by_filename`
]

export const textOrder = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
