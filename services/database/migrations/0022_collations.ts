import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Ids that had the order of the database: they compare by bytes, as those that they name, and use their indexes. */
const byBytes: Readonly<Record<string, ReadonlyArray<string>>> = {
  blobs: ["workspace_id", "sha256"],
  attachments: ["workspace_id", "id", "note_id", "sha256", "author_id", "blob", "staging"],
  exports: ["blob"],
  comments: ["workspace_id", "id", "note_id", "parent_id", "author_id"],
  reminders: ["workspace_id", "id", "note_id", "user_id"],
  reminder_pushes: ["reminder_id"],
  shares: ["workspace_id", "id", "note_id", "author_id"],
  share_views: ["workspace_id", "share_id"]
}

const statements = [
  ...Object.entries(byBytes).map(
    ([table, columns]) =>
      `ALTER TABLE ${table} ${columns.map((column) => `ALTER COLUMN ${column} TYPE text COLLATE "C"`).join(", ")}`
  ),
  // Whose a record is follows from its note: one look-up less for each that is made.
  ...["attachments", "comments", "reminders", "shares"].map(
    (table) => `ALTER TABLE ${table} DROP CONSTRAINT ${table}_workspace_id_fkey`
  ),
  // What goes and comes back with its note is found whether it is in the trash or not.
  `DROP INDEX comments_of_note`,
  `DROP INDEX comments_in_trash`,
  `CREATE INDEX comments_of_note ON comments (workspace_id, note_id, created_at, id)`
]

export const collations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
