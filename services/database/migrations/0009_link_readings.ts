import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** All that links are resolved by, for callers that reach some notebooks only (contract 4, Limited credentials). */
const statements = [
  "ALTER TABLE note_contents ADD COLUMN title_key text COLLATE \"C\" NOT NULL DEFAULT ''",
  "CREATE INDEX note_contents_titles ON note_contents (workspace_id, title_key, note_id)",
  // `readings`: the ways to read the target. `file`: whether it names a file of its note (`own`), or ends like a file's
  // name (`ending`).
  "ALTER TABLE note_links ADD COLUMN readings jsonb NOT NULL DEFAULT '[]', ADD COLUMN file text COLLATE \"C\"",
  // All texts are read again.
  "UPDATE content_places SET epoch = ''"
]

export const linkReadings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
