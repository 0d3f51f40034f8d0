import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // `released`: a record has had it, and let it go. No upload that just keeps it is about to use it.
  `ALTER TABLE blobs ADD COLUMN released boolean NOT NULL DEFAULT false`,
  `CREATE INDEX blobs_sizes ON blobs (workspace_id) INCLUDE (size)`,
  // Bytes that are reserved for a file that is being taken in. `holder`: the process that takes it in.
  `CREATE TABLE staged_files (
    workspace_id text COLLATE "C" NOT NULL REFERENCES heads,
    name text COLLATE "C" NOT NULL,
    bytes bigint NOT NULL CHECK (bytes >= 0),
    holder int,
    created_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, name)
  )`,
  `CREATE INDEX staged_files_age ON staged_files (created_at)`,
  // Uploads straight to a bucket reserve their room while they are awaited.
  `UPDATE heads h SET file_bytes = h.file_bytes + a.bytes FROM (
    SELECT workspace_id, sum(size) AS bytes FROM attachments
    WHERE status = 'pending' AND staging IS NOT NULL GROUP BY workspace_id
  ) a WHERE a.workspace_id = h.workspace_id`
]

/** What a workspace keeps of files is known while they come, and until they are gone. */
export const stagedFiles = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
