import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import type { Change } from "../writer/LogEntry.ts"
import { orUnavailable } from "../database/Database.ts"
import type { HeavyReads } from "../database/ExpensiveReads.ts"
import { rowJson } from "../tables/RowJson.ts"
import { measuredLog } from "../records/SyncedRecord.ts"
import { syncedTypes } from "./SyncedTypes.ts"
import { type SyncType, syncTypes } from "../Resources.ts"
import { isSyncType } from "./SyncObject.ts"

interface Row {
  readonly seq: number
  readonly type: string
  readonly id: string
  readonly revision: number
  readonly data: string | null
  readonly changed_at: string
  readonly actor_id: string | null
  readonly device_id: string | null
}

export interface Head {
  readonly seq: number
  readonly epoch: string
}

/** The JSON of a change entry, around the JSON of its data. */
export const render = (row: Omit<Row, "seq">): string =>
  `{"type":"${row.type}","id":"${row.id}","op":"${row.data === null ? "delete" : "upsert"}","revision":${row.revision},` +
  `"data":${row.data},"changed_at":"${row.changed_at}","actor_id":${JSON.stringify(row.actor_id)},` +
  `"device_id":${JSON.stringify(row.device_id)}}`

/** The JSON of a record of the table `x`, made by the database. */
const current = syncedTypes
  .map(
    ({ table: { name, synced }, type }) =>
      `WHEN '${type}' THEN (SELECT ${rowJson("x", synced)} FROM ${name} x WHERE x.workspace_id = $1 AND x.id = r.id)`
  )
  .join("\n")

interface Range {
  readonly workspace_id: WorkspaceId
  /** Changes after this one. */
  readonly seq: number
  readonly limit: number
  /** 0, or: only what still exists and changed no later than this. */
  readonly floor: number
  readonly types: ReadonlySet<SyncType> | undefined
}

/**
 * Records of a range in their order, from `after` (an expression) on, `limit` of them: from the stretch that each type,
 * dead or alive, has in the one index on their order, so that the cost is that of what is returned, whatever else there
 * is. A second index, on the order of all, would be taken for the first one, and gone through from its beginning.
 * Parameters: $1 the workspace, $2 the seq, $3 the floor if there is one.
 */
const rangeOf = (range: Range, after: string, limit: number): string => {
  const within = `workspace_id = $1 AND seq > ${after}${range.floor > 0 ? " AND seq <= $3::bigint" : ""}`
  const inOrder = `ORDER BY seq LIMIT ${limit}`
  const stretches = [...(range.types ?? syncTypes)].flatMap((type) =>
    (range.floor > 0 ? [false] : [false, true]).map(
      (deleted) => `(SELECT * FROM records WHERE ${within} AND type = '${type}' AND deleted = ${deleted} ${inOrder})`
    )
  )
  return `SELECT * FROM (${stretches.join(" UNION ALL ")}) stretches ${inOrder}`
}

const paramsOf = (range: Range): ReadonlyArray<string> => [
  range.workspace_id,
  String(range.seq),
  ...(range.floor > 0 ? [String(range.floor)] : [])
]

/** A page may end early at so many bytes (contract 6). */
const maxPageBytes = 4 * 1024 * 1024
/** One of large records ends at fewer: as JSON their texts may be six times as long, and cost the database as much more. */
const maxLargeBytes = 1024 * 1024

/**
 * Records by the order of their last change, each once, at its newest state, looked up one by one. `counted`: up to the
 * bytes of a page; else all of them, which is cheaper.
 */
const scan = (range: Range, counted: boolean) => {
  const records = rangeOf(range, "$2::bigint", range.limit)
  return `SELECT r.*, CASE WHEN r.deleted THEN NULL ELSE CASE r.type ${current} END END AS data
  FROM (${
    counted
      ? `SELECT p.*, (sum(bytes) OVER w) - bytes AS before, lead(seq) OVER w IS NOT NULL AS is_followed
      FROM (${records}) p WINDOW w AS (ROWS UNBOUNDED PRECEDING)`
      : records
  }) r${counted ? ` WHERE r.before < ${maxLargeBytes}` : ""}`
}

/**
 * The same text as `render` makes, but for the order of the members: what is long stands last, and is copied least. In
 * rows, not as one value: large ones cost the database, and this process, more than many small ones.
 */
const rendered = `'{"type":"' || s.type || '","id":"' || s.id || CASE WHEN s.deleted THEN '","op":"delete' ELSE '","op":"upsert' END
  || '","revision":' || s.revision::text || ',"changed_at":"' || s.changed_at
  || '","actor_id":' || coalesce(to_json(s.actor_id)::text, 'null')
  || ',"device_id":' || coalesce(to_json(s.device_id)::text, 'null') || ',"data":' || coalesce(s.data, 'null') || '}'`

/**
 * The entries of a range, one more than asked for where there is more, and after them the head: all of one snapshot. When
 * it is not counted, an entry so large that a page of its like might be too large has no JSON.
 */
const inSnapshot = (range: Range, counted: boolean) => {
  const limit = range.limit + 1
  const json = counted
    ? `${rendered} AS json, s.is_followed AND s.before + s.bytes >= ${maxLargeBytes} AS is_full`
    : `CASE WHEN s.bytes <= ${Math.floor(maxPageBytes / limit)} THEN ${rendered} END AS json, false AS is_full`
  return `SELECT s.seq::float8 AS seq, ${json}, NULL AS epoch FROM (${scan({ ...range, limit }, counted)}) s
  UNION ALL SELECT seq::float8, NULL, NULL, epoch FROM heads WHERE workspace_id = $1`
}

interface SnapshotRow {
  readonly seq: number
  readonly json: string | null
  /** The page ends here, whatever comes after. */
  readonly is_full: boolean | null
  readonly epoch: string | null
}

export interface Changed {
  readonly head: Head
  /** Each as the JSON that goes to the client. As bytes they would lie outside the heap, and be collected late. */
  readonly entries: ReadonlyArray<{ readonly seq: number; readonly json: string }>
  readonly has_more: boolean
}

/** Up to `limit` records changed after `seq`. A page that may be of megabytes is a heavy read: nobody else's waits behind it. */
export const changedAfter = Effect.fnUntraced(function* (sql: PgClient, heavy: HeavyReads["Service"], range: Range) {
  const params = paramsOf(range)
  let rows = yield* orUnavailable(sql.unsafe<SnapshotRow>(inSnapshot(range, false), params))
  if (rows.some(({ epoch, json }) => epoch === null && json === null)) {
    rows = yield* heavy.query<SnapshotRow>(range.workspace_id, inSnapshot(range, true), params, true)
  }
  const head = rows.at(-1)
  if (head === undefined || head.epoch === null) throw new Error("a workspace without a head")
  const shown = rows.slice(0, Math.min(range.limit, rows.length - 1))
  const changed: Changed = {
    head: { seq: head.seq, epoch: head.epoch },
    entries: shown as unknown as Changed["entries"],
    has_more: rows.length - 1 > range.limit || shown.at(-1)?.is_full === true
  }
  return changed
})

/** Event types after which a record is gone. */
const removals: ReadonlySet<string> = new Set(syncedTypes.flatMap((each) => each.removals))

/** Whether a log entry is a change to a record that clients sync, and whether it takes the record away. */
export const kindOf = (change: Pick<Change, "type" | "resource" | "version">): "upsert" | "delete" | undefined =>
  change.version === null || !isSyncType(change.resource) ? undefined : removals.has(change.type) ? "delete" : "upsert"

/** What the log does not hold of a record, made by the database. */
const earlier = syncedTypes
  .map(({ earlier, type }) => (earlier === undefined ? "" : `WHEN c.resource = '${type}' THEN ${earlier.json}`))
  .join(" ")

/** Entries of the log are read so many at a time at most. */
const logPage = 100

/**
 * The log from `after` on, each change as it was: notes from their history, other records as the log noted them. For
 * what was written elsewhere, and is to be told live here. `is_left`: for another page.
 */
const history = `SELECT c.seq::float8 AS seq, c.type AS event, c.resource, c.resource_id AS id, c.version AS revision,
    c.occurred_at AS changed_at, c.actor_id, c.device_id, c.is_left,
    CASE WHEN c.is_left OR c.version IS NULL THEN NULL ${earlier} ELSE c.data::text END AS data
  FROM ${measuredLog(syncedTypes, "c.workspace_id = $1 AND c.seq > $2::bigint AND c.seq <= $3::bigint", logPage)}
  ORDER BY c.seq`

export interface Logged {
  readonly seq: number
  readonly event: string
  readonly resource_id: string
  readonly changed_at: string
  /** The record as it was then, where there is one. */
  readonly data: string | null
  /** null: nothing to tell clients that sync. */
  readonly json: string | null
}

interface LoggedRow extends Omit<Row, "type"> {
  readonly event: string
  readonly resource: string
  readonly is_left: boolean
}

export interface LoggedPage {
  readonly entries: ReadonlyArray<Logged>
  /** The page reaches so far. Entries up to there that it does not have are older than the log is kept. */
  readonly last: number
}

/** A page of the log after `after`, up to `last` at most. */
export const loggedBetween = (sql: PgClient, workspace_id: WorkspaceId, after: number, last: number) =>
  Effect.map(sql.unsafe<LoggedRow>(history, [workspace_id, String(after), String(last)]), (rows): LoggedPage => {
    const left = rows.findIndex((row) => row.is_left)
    const entries = (left < 0 ? rows : rows.slice(0, left)).map((row) => {
      const kind = kindOf({ type: row.event, resource: row.resource, version: row.revision })
      return {
        seq: row.seq,
        event: row.event,
        resource_id: row.id,
        changed_at: row.changed_at,
        data: row.data,
        // The version of an upsert may be deleted since; what came after it stands in a later entry.
        json:
          kind === undefined || (kind === "upsert" && row.data === null)
            ? null
            : render({ ...row, type: row.resource, data: kind === "delete" ? null : row.data })
      }
    })
    const isCut = left >= 0 || rows.length === logPage
    return { entries, last: isCut ? entries.at(-1)!.seq : last }
  })
