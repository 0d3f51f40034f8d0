import { Effect } from "effect"
import type { Unavailable } from "../Errors.ts"
import { runSql } from "../database/Database.ts"
import type { Reads } from "../database/ReachedRows.ts"
import type { IndexedNote } from "./engine/index/IndexedNote.ts"

/** Maximum number of notes, and bytes of records, that are read at a time. */
const pageSize = 100
const pageBytes = 4_194_304

/** Where the log of a workspace ends. `epoch` changes when a backup is restored. */
export interface Head {
  readonly epoch: string
  readonly seq: number
}

/** Where the logs of some workspaces end. Workspaces that don't exist are left out. */
export const headsOf = (
  sql: Reads,
  workspace_ids: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Head & { readonly workspace_id: string }>, Unavailable> =>
  runSql<Head & { readonly workspace_id: string }>(
    sql,
    "SELECT workspace_id, epoch, seq::float8 AS seq FROM heads WHERE workspace_id = ANY($1::text[])",
    [workspace_ids]
  )

/** A note that changed at `seq`. `gone`: it was deleted, or is in the trash. */
export interface Change extends IndexedNote {
  readonly seq: number
  readonly gone: boolean
}

/** A page of changed notes, and where the log ended when it was read. */
export interface Changes {
  readonly head: Head
  readonly notes: ReadonlyArray<Change>
  /** Whether there are more. */
  readonly hasMore: boolean
}

/** `seq` and all that follows is null in the row of a page without notes. */
interface Row extends Omit<Change, "seq"> {
  readonly head: number
  readonly epoch: string
  readonly seq: number | null
  readonly found: number
}

const textOf = (records: string): string => `SELECT h.seq::float8 AS head, h.epoch, p.seq::float8 AS seq, p.id, p.found,
    (n.id IS NULL OR n.deleted_at IS NOT NULL) AS gone, n.title, n.body, n.tags, n.notebook_id, n.archived, n.word_count,
    n.created_at, n.updated_at
  FROM heads h LEFT JOIN LATERAL (
    SELECT r.seq, r.id, r.place, (count(*) OVER ())::int AS found,
      (sum(r.bytes) OVER (ORDER BY r.place ROWS UNBOUNDED PRECEDING)) - r.bytes AS before
    FROM (${records}) r
  ) p ON p.before < ${pageBytes}
  LEFT JOIN notes n ON n.workspace_id = h.workspace_id AND n.id = p.id
  WHERE h.workspace_id = $1 ORDER BY p.place`

/** Each of the two uses the order of its index. A single query would have to sort all rows. */
const recordsAfter = (deleted: boolean): string =>
  `SELECT seq, seq AS place, id, bytes FROM records
    WHERE workspace_id = $1 AND type = 'note' AND deleted = ${deleted} AND seq > $2::bigint ORDER BY seq LIMIT ${pageSize}`

const after = textOf(`(${recordsAfter(false)}) UNION ALL (${recordsAfter(true)}) ORDER BY seq LIMIT ${pageSize}`)

const before = textOf(
  `SELECT seq, -seq AS place, id, bytes FROM records
    WHERE workspace_id = $1 AND type = 'note' AND deleted = false AND seq <= $2::bigint
    ORDER BY seq DESC LIMIT ${pageSize}`
)

const read = (
  sql: Reads,
  text: string,
  workspace_id: string,
  seq: number
): Effect.Effect<Changes | undefined, Unavailable> =>
  Effect.map(runSql<Row>(sql, text, [workspace_id, String(seq)]), (rows) => {
    const [first] = rows
    if (first === undefined) return undefined
    const notes = rows.filter((row): row is Row & Change => row.seq !== null)
    const found = notes[0]?.found ?? 0
    return {
      head: { epoch: first.epoch, seq: first.head },
      notes,
      hasMore: found === pageSize || notes.length < found
    }
  })

/** Notes that changed after `seq`, in the order of the log. Undefined when the workspace does not exist. */
export const changesAfter = (sql: Reads, workspace_id: string, seq: number) => read(sql, after, workspace_id, seq)

/** Notes whose last change is at or before `seq`, the latest first. Undefined when the workspace does not exist. */
export const notesBefore = (sql: Reads, workspace_id: string, seq: number) => read(sql, before, workspace_id, seq)
