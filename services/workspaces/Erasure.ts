import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import { eraseBlobs } from "../files/BlobCollection.ts"
import type { Blobs } from "../files/Blobs.ts"
import { blobs } from "../files/BlobTable.ts"

const batch = 1_000

interface Owned {
  readonly name: string
  /** Whether rows refer to rows of the same table. Then all are deleted at once to keep the references valid. */
  readonly isTree: boolean
  /** Other tables that its rows refer to. */
  readonly refersTo: ReadonlyArray<string>
}

/** Every table with a `workspace_id`, so that tables of later versions are included. */
const ownedText = `SELECT c.relname::text AS name,
    EXISTS (
      SELECT FROM pg_constraint f WHERE f.contype = 'f' AND f.conrelid = c.oid AND f.confrelid = c.oid
    ) AS "isTree",
    ARRAY(
      SELECT f.confrelid::regclass::text FROM pg_constraint f
      WHERE f.contype = 'f' AND f.conrelid = c.oid AND f.confrelid <> c.oid
    ) AS "refersTo"
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'workspace_id' AND NOT a.attisdropped
  WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace ORDER BY c.relname`

/** Sorts tables so that each comes before the tables that it refers to. */
const ordered = (tables: ReadonlyArray<Owned>): ReadonlyArray<Owned> => {
  const rest = [...tables]
  const sorted: Array<Owned> = []
  while (rest.length > 0) {
    const next = rest.findIndex(({ name }) => !rest.some(({ refersTo }) => refersTo.includes(name)))
    if (next < 0) throw new Error(`tables refer to each other in a cycle: ${rest.map(({ name }) => name).join(", ")}`)
    sorted.push(...rest.splice(next, 1))
  }
  return sorted
}

const eraseRows = Effect.fnUntraced(function* (
  sql: PgClient,
  store: Blobs["Service"],
  { isTree, name }: Owned,
  workspace_id: WorkspaceId
) {
  // The rows of blobs have bytes, which are deleted too.
  if (name === blobs.name) return yield* eraseBlobs(sql, store, workspace_id)
  const some = `ctid = ANY(ARRAY(SELECT ctid FROM ${name} WHERE workspace_id = $1 LIMIT ${batch}))`
  const text = `DELETE FROM ${name} WHERE ${isTree ? "workspace_id = $1" : some} RETURNING 1 AS gone`
  while (true) {
    const gone = yield* sql.unsafe(text, [workspace_id])
    if (isTree || gone.length < batch) return
  }
})

/**
 * Erases workspaces that were deleted before `deleted`, or whose erasure the operator requested before `purged`, with all
 * rows that they own, in batches. The row of the
 * workspace is deleted last, so that the next run continues an interrupted one. A failure does not stop the others.
 */
export const eraseDeleted = Effect.fnUntraced(function* (
  sql: PgClient,
  store: Blobs["Service"],
  { deleted, purged }: { readonly deleted: string; readonly purged: string }
) {
  const due = yield* sql.unsafe<{ readonly workspace_id: WorkspaceId }>(
    "SELECT workspace_id FROM workspaces WHERE deleted_at < $1 OR purge_at < $2 ORDER BY deleted_at",
    [deleted, purged]
  )
  if (due.length === 0) return
  const tables = ordered(yield* sql.unsafe<Owned>(ownedText))
  yield* Effect.validate(
    due,
    ({ workspace_id }) =>
      Effect.forEach(tables, (table) => eraseRows(sql, store, table, workspace_id), { discard: true }).pipe(
        // The next run continues.
        Effect.catchTag("FilesInUse", () => Effect.void)
      ),
    { discard: true }
  )
})
