import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Previews of imports, and the numbers of records that imports create. A preview has no `author_id`, but `asked_by`: the
 * version before, which would carry it out, refuses an import without an author.
 */
const statements = [
  `ALTER TABLE imports
    ADD COLUMN preview boolean NOT NULL DEFAULT false,
    ADD COLUMN asked_by text COLLATE "C",
    ADD COLUMN notebooks int,
    ADD COLUMN tags int,
    ADD COLUMN attachments int`
]

export const importPreviews = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
