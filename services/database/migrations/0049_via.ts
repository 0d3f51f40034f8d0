import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // By which way each change came: `Via` of services/writer/Actor.ts.
  "ALTER TABLE changes ADD COLUMN via json",
  // The changes of a note and of what belongs to it. What follows its note into the trash, or out of it, is left out.
  `CREATE INDEX changes_about_note ON changes
    (workspace_id, (CASE resource WHEN 'note' THEN resource_id ELSE data ->> 'note_id' END), seq)
    WHERE resource IN ('note', 'attachment', 'comment', 'reminder', 'share') AND via ->> 'with_note' IS NULL`,
  // The changes that settled a conflict of a note: few.
  `CREATE INDEX changes_of_conflict ON changes (workspace_id, (via ->> 'conflict_of'), seq)
    WHERE via ->> 'conflict_of' IS NOT NULL`
]

export const via = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
