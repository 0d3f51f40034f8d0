import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Where the body of a version without one of its own is found, by one look.
  `CREATE INDEX note_versions_bodies ON note_versions (workspace_id, note_id, version) WHERE body IS NOT NULL`,
  // No check that they are above 0: a count that is wrong must not keep anybody from deleting.
  `ALTER TABLE heads ADD COLUMN text_bytes bigint NOT NULL DEFAULT 0, ADD COLUMN tags bigint NOT NULL DEFAULT 0,
    ADD COLUMN notebooks bigint NOT NULL DEFAULT 0`,
  `UPDATE heads h SET
    text_bytes = (SELECT coalesce(sum(octet_length(body)), 0) FROM notes n WHERE n.workspace_id = h.workspace_id)
      + (SELECT coalesce(sum(octet_length(body)), 0) FROM note_versions v WHERE v.workspace_id = h.workspace_id),
    tags = (SELECT count(*) FROM tags t WHERE t.workspace_id = h.workspace_id),
    notebooks = (SELECT count(*) FROM notebooks b WHERE b.workspace_id = h.workspace_id)`
]

export const historyAndCounters = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
