import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import { eraseBlobs } from "../files/BlobCollection.ts"
import type { Blobs } from "../files/Blobs.ts"
import { blobs } from "../files/BlobTable.ts"

const batch = 1_000

interface Owned {
  readonly name: string
  /** Rows refer to others of the table: they go at once, or some would refer to nothing. */
  readonly isTree: boolean
  /** Other tables that its rows refer to. */
  readonly refersTo: ReadonlyArray<string>
}

/** All that a workspace can own, also what a later version has added: every table with a `workspace_id`. */
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

/** Each table before those that it refers to: what is referred to goes last. */
const ordered = (tables: ReadonlyArray<Owned>): ReadonlyArray<Owned> => {
  const rest = [...tables]
  const sorted: Array<Owned> = []
  while (rest.length > 0) {
    const next = rest.findIndex(({ name }) => !rest.some(({ refersTo }) => refersTo.includes(name)))
    if (next < 0) throw new Error(`tables refer to each other in a circle: ${rest.map(({ name }) => name).join(", ")}`)
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
  // Rows that stand for more than themselves.
  if (name === blobs.name) return yield* eraseBlobs(sql, store, workspace_id)
  const some = `ctid = ANY(ARRAY(SELECT ctid FROM ${name} WHERE workspace_id = $1 LIMIT ${batch}))`
  const text = `DELETE FROM ${name} WHERE ${isTree ? "workspace_id = $1" : some} RETURNING 1 AS gone`
  while (true) {
    const gone = yield* sql.unsafe(text, [workspace_id])
    if (isTree || gone.length < batch) return
  }
})

/**
 * Erases workspaces that were deleted before the cutoff, with all that they own, some rows at a time. The row of the
 * workspace goes last: what was cut short is gone on with the next time. One that fails stops none of the others.
 */
export const eraseDeleted = Effect.fnUntraced(function* (sql: PgClient, store: Blobs["Service"], cutoff: string) {
  const due = yield* sql.unsafe<{ readonly workspace_id: WorkspaceId }>(
    "SELECT workspace_id FROM workspaces WHERE deleted_at < $1 ORDER BY deleted_at",
    [cutoff]
  )
  if (due.length === 0) return
  const tables = ordered(yield* sql.unsafe<Owned>(ownedText))
  yield* Effect.validate(
    due,
    ({ workspace_id }) =>
      Effect.forEach(tables, (table) => eraseRows(sql, store, table, workspace_id), { discard: true }),
    { discard: true }
  )
})
