import type { PgClient } from "@effect/sql-pg/PgClient"
import type { Effect } from "effect"
import type { Unavailable } from "../Errors.ts"
import { orUnavailable } from "../storage/Database.ts"
import type { IndexedNote } from "./Entries.ts"

/** So many notes are read at a time. */
export const pageSize = 100

/** A note that has changed, and where the log ends; `found`: how many there are on the page. */
export interface Change extends Omit<IndexedNote, "id"> {
  readonly head: number
  readonly epoch: string
  readonly found: number | null
  readonly seq: number
  readonly id: string
  readonly gone: boolean
}

/** Each of the two in the order of its index: together they would be sorted, all of them. */
const those = (deleted: boolean): string =>
  `SELECT seq, id, bytes FROM records
    WHERE workspace_id = $1 AND type = 'note' AND deleted = ${deleted} AND seq > $2::bigint ORDER BY seq LIMIT ${pageSize}`

const changed = `SELECT h.seq::float8 AS head, h.epoch, p.seq::float8 AS seq, p.id, p.found,
    (n.id IS NULL OR n.deleted_at IS NOT NULL) AS gone, n.title, n.body, n.tags, n.notebook_id, n.archived, n.word_count,
    n.created_at, n.updated_at
  FROM heads h LEFT JOIN LATERAL (
    SELECT r.seq, r.id, (count(*) OVER ())::int AS found,
      (sum(r.bytes) OVER (ROWS UNBOUNDED PRECEDING)) - r.bytes AS before
    FROM (
      (${those(false)}) UNION ALL (${those(true)}) ORDER BY seq LIMIT ${pageSize}
    ) r
  ) p ON p.before < 4194304
  LEFT JOIN notes n ON n.workspace_id = h.workspace_id AND n.id = p.id
  WHERE h.workspace_id = $1`

/** The notes that have changed since some seq, in the order of the log, a page of them; nothing: there is no such workspace. */
export const changesSince = (
  sql: PgClient,
  workspace_id: string,
  seq: number
): Effect.Effect<ReadonlyArray<Change>, Unavailable> =>
  orUnavailable(sql.unsafe<Change>(changed, [workspace_id, String(seq)]))
