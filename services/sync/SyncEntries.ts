import { Effect } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import type { Change } from "../writer/LogEntry.ts"
import { runSql } from "../database/Database.ts"
import { goneRecords, liveRecords, syncedParts } from "../database/ReachedRecords.ts"
import type { Reads } from "../database/ReachedRows.ts"
import type { ExpensiveReads } from "../database/ExpensiveReads.ts"
import { rowJson } from "../tables/RowJson.ts"
import { measuredLog } from "../records/SyncedRecord.ts"
import { syncedTypes } from "./SyncedTypes.ts"
import { type SyncType, syncTypes } from "../Resources.ts"
import { isSyncType } from "./SyncObject.ts"
import { hashSince, reachedHash } from "./SyncReach.ts"

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

/** The head, and hashes of what a limited caller reaches at that moment: of all, and without what was created since. */
interface ReachedHead extends Head {
  readonly hash: string
  readonly hashSince: string
}

/** Returns the JSON of a change entry with the JSON of its data. */
export const render = (row: Omit<Row, "seq">): string =>
  `{"type":"${row.type}","id":"${row.id}","op":"${row.data === null ? "delete" : "upsert"}","revision":${row.revision},` +
  `"data":${row.data},"changed_at":"${row.changed_at}","actor_id":${JSON.stringify(row.actor_id)},` +
  `"device_id":${JSON.stringify(row.device_id)}}`

/** SQL for the JSON of a record `r`, by its type. */
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
  /** If not 0: only records that still exist and changed no later than this. */
  readonly floor: number
  readonly types: ReadonlySet<SyncType> | undefined
  /** For a limited caller: also changes at `seq` after this place. `since`: when it reached what its cursor says. */
  readonly limited?: { readonly after: string; readonly since: number } | undefined
}

/** The types that limited callers pull, with their tables, in the order of their first pull. */
const limitedTypes = Object.entries({ notebook: "notebooks", note: "notes", ...syncedParts })

/** Those of a range. Their ranks begin the places of a first pull. */
const limitedTypesOf = ({ types }: Range) =>
  limitedTypes.flatMap(([type, table], rank) =>
    types === undefined || types.has(type as SyncType) ? [{ type, table, rank }] : []
  )

/**
 * SQL for the first pull of a limited caller: in the order of types and ids, because no index has the seqs of some notebooks.
 * Changes meanwhile are pulled later, in the order of their seqs.
 */
const beginningOf = (range: Range, limit: number): string => {
  const begun = Number(range.limited!.after.charAt(0))
  const existing = limitedTypesOf(range).flatMap(({ rank, table, type }) => {
    if (rank < begun) return []
    const isLive = table === "notebooks" ? "" : table === "notes" ? "AND deleted_at IS NULL" : "AND NOT trashed"
    const isNext = `id > ${rank === begun ? "substr($2, 2)" : "$2"}`
    return `(SELECT '${rank}' || x.id AS place, r.* FROM (
        SELECT id FROM ${table} WHERE workspace_id = $1 ${isLive} AND ${isNext} ORDER BY id LIMIT ${limit}
      ) x CROSS JOIN LATERAL (SELECT * FROM ${liveRecords} WHERE workspace_id = $1 AND type = '${type}' AND id = x.id LIMIT 1) r)`
  })
  // A range of tags and templates alone has no other part.
  const none = `SELECT $2 AS place, r.* FROM ${liveRecords} r WHERE false`
  return `SELECT * FROM (${[none, ...existing].join(" UNION ALL ")}) existing ORDER BY place LIMIT ${limit}`
}

/** SQL for the changes of a limited caller. At one seq, a note comes before the parts that came with it. */
const limitedRangeOf = (range: Range, limit: number): string => {
  const types = limitedTypesOf(range).map(({ type }) => type)
  if (range.floor > 0) return beginningOf(range, limit)
  const section = (from: string, place: string) => `(SELECT * FROM (SELECT *, ${place} AS place FROM ${from}) r
      WHERE workspace_id = $1 AND seq >= $4::bigint AND (seq > $4::bigint OR place > $2) ORDER BY seq, place LIMIT ${limit})`
  const sections = types.map((type) => section(`${liveRecords} WHERE type = '${type}'`, type === "note" ? "''" : "id"))
  const ofTypes = `type = ANY (ARRAY[${types.map((type) => `'${type}'`).join(", ")}]::text[])`
  const gone = section(`${goneRecords} WHERE ${ofTypes}`, "CASE WHEN type = 'note' THEN '' ELSE id END")
  return `SELECT * FROM (${[...sections, gone].join(" UNION ALL ")}) changed ORDER BY seq, place LIMIT ${limit}`
}

/**
 * SQL for `limit` records of a range, in their order, after `after` (an expression). Each type has two sections in the
 * index, of live and of deleted records. Only these are read, so the cost depends only on the records that are
 * returned. A second index, on the order of all records, must not exist: the planner would prefer it and scan it from
 * its beginning. Parameters: $1 the workspace, $2 the seq, $3 the floor if there is one.
 */
const rangeOf = (range: Range, after: string, limit: number): string => {
  if (range.limited !== undefined) return limitedRangeOf(range, limit)
  const within = `workspace_id = $1 AND seq > ${after}${range.floor > 0 ? " AND seq <= $3::bigint" : ""}`
  const inOrder = `ORDER BY seq LIMIT ${limit}`
  const stretches = [...(range.types ?? syncTypes)].flatMap((type) =>
    (range.floor > 0 ? [false] : [false, true]).map(
      (deleted) => `(SELECT * FROM records WHERE ${within} AND type = '${type}' AND deleted = ${deleted} ${inOrder})`
    )
  )
  return `SELECT * FROM (${stretches.join(" UNION ALL ")}) stretches ${inOrder}`
}

const paramsOf = ({ floor, limited, seq, workspace_id }: Range): ReadonlyArray<string> =>
  limited === undefined
    ? [workspace_id, String(seq), ...(floor > 0 ? [String(floor)] : [])]
    : [workspace_id, limited.after, String(limited.since), ...(floor > 0 ? [] : [String(seq)])]

/** Bytes after which a page may end early (contract 6). */
const maxPageBytes = 4 * 1024 * 1024
/** The same for large records: as JSON, their texts may be six times as long, and as expensive for the database. */
const maxLargeBytes = 1024 * 1024

/**
 * SQL for records in the order of their last change, each once, in its newest state, looked up one by one. `counted`:
 * only up to the bytes of a page; otherwise all of them, which is cheaper.
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
 * SQL for the text of `render`, with `data` as the last member: it is long, and is then copied least. One row per
 * entry, because one large value is more expensive for the database and this process than many small ones.
 */
const rendered = `'{"type":"' || s.type || '","id":"' || s.id || CASE WHEN s.deleted THEN '","op":"delete' ELSE '","op":"upsert' END
  || '","revision":' || s.revision::text || ',"changed_at":"' || s.changed_at
  || '","actor_id":' || coalesce(to_json(s.actor_id)::text, 'null')
  || ',"device_id":' || coalesce(to_json(s.device_id)::text, 'null') || ',"data":' || coalesce(s.data, 'null') || '}'`

/**
 * SQL for the entries of a range, one more than the limit if there are more, then the head, all in one snapshot. Unless
 * `counted`, an entry has no JSON if a page of such entries might be too large.
 */
const inSnapshot = (range: Range, counted: boolean) => {
  const limit = range.limit + 1
  const json = counted
    ? `${rendered} AS json, s.is_followed AND s.before + s.bytes >= ${maxLargeBytes} AS is_full`
    : `CASE WHEN s.bytes <= ${Math.floor(maxPageBytes / limit)} THEN ${rendered} END AS json, false AS is_full`
  const { limited } = range
  const [place, hash, since] =
    limited === undefined ? ["NULL", "NULL", "NULL"] : ["s.place", reachedHash, hashSince("$3")]
  return `SELECT s.seq::float8 AS seq, ${json}, NULL AS epoch, ${place} AS place, NULL AS since FROM (${scan({ ...range, limit }, counted)}) s
  UNION ALL SELECT seq::float8, NULL, NULL, epoch, ${hash}, ${since} FROM heads WHERE workspace_id = $1`
}

interface SnapshotRow {
  readonly seq: number
  readonly json: string | null
  /** Whether the page ends here, even if there are more entries. */
  readonly is_full: boolean | null
  readonly epoch: string | null
  /** In the row of the head: the hash of what a limited caller reaches. */
  readonly place: string
  readonly since: string
}

interface ChangedEntry {
  readonly seq: number
  readonly json: string
  /** For a limited caller: its place among the changes at `seq`. */
  readonly place: string
}

export interface Changed {
  readonly head: ReachedHead
  /** JSON as it is sent to the client. Strings, because bytes are outside the heap and would be collected late. */
  readonly entries: ReadonlyArray<ChangedEntry>
  readonly has_more: boolean
}

/**
 * Returns up to `limit` records that changed after `seq`. A page that may have megabytes is a heavy read: other
 * workspaces do not wait for it.
 */
export const changedAfter = Effect.fnUntraced(function* (sql: Reads, heavy: ExpensiveReads["Service"], range: Range) {
  const params = paramsOf(range)
  let rows = yield* runSql<SnapshotRow>(sql, inSnapshot(range, false), params)
  if (rows.some(({ epoch, json }) => epoch === null && json === null)) {
    rows = yield* heavy.query<SnapshotRow>(range.workspace_id, inSnapshot(range, true), params, true)
  }
  const head = rows.at(-1)
  if (head === undefined || head.epoch === null) throw new Error("a workspace without a head")
  const shown = rows.slice(0, Math.min(range.limit, rows.length - 1))
  const changed: Changed = {
    head: { seq: head.seq, epoch: head.epoch, hash: head.place, hashSince: head.since },
    entries: shown as unknown as Changed["entries"],
    has_more: rows.length - 1 > range.limit || shown.at(-1)?.is_full === true
  }
  return changed
})

/** Event types that remove a record. */
const removals: ReadonlySet<string> = new Set(syncedTypes.flatMap((each) => each.removals))

/** Returns whether a log entry writes or removes a synced record; undefined if neither. */
export const kindOf = (change: Pick<Change, "type" | "resource" | "version">): "upsert" | "delete" | undefined =>
  change.version === null || !isSyncType(change.resource) ? undefined : removals.has(change.type) ? "delete" : "upsert"

/** SQL for records that the log does not contain. */
const earlier = syncedTypes
  .map(({ earlier, type }) => (earlier === undefined ? "" : `WHEN c.resource = '${type}' THEN ${earlier.json}`))
  .join(" ")

/** Maximum number of log entries that are read at once. */
const logPage = 100

/**
 * SQL for the log after $2 up to $3, with each record as it was after the change: notes from their history, other
 * records from the log. Event streams send with it the changes of other nodes. `is_left`: the entry is left for another
 * page.
 */
const history = `SELECT c.seq::float8 AS seq, c.type AS event, c.resource, c.resource_id AS id, c.version AS revision,
    c.occurred_at AS changed_at, c.actor_id, c.device_id, c.is_left,
    CASE WHEN c.is_left OR c.version IS NULL THEN NULL ${earlier} ELSE c.data::text END AS data
  FROM ${measuredLog(syncedTypes, "c.workspace_id = $1 AND c.seq > $2::bigint AND c.seq <= $3::bigint", logPage)}
  ORDER BY c.seq`

export interface Logged {
  readonly seq: number
  readonly event: string
  readonly resource: string
  readonly resource_id: string
  readonly changed_at: string
  /** The record after this change; null if there is none. */
  readonly data: string | null
  /** Null if clients that sync need no entry. */
  readonly json: string | null
}

interface LoggedRow extends Omit<Row, "type"> {
  readonly event: string
  readonly resource: string
  readonly is_left: boolean
}

interface LoggedPage {
  readonly entries: ReadonlyArray<Logged>
  /** The page ends here. Earlier entries that it lacks are older than the log's retention. */
  readonly last: number
}

/** Returns a page of the log after `after`, at most up to `last`. */
export const loggedBetween = (sql: Reads, workspace_id: WorkspaceId, after: number, last: number) =>
  Effect.map(sql.unsafe<LoggedRow>(history, [workspace_id, String(after), String(last)]), (rows): LoggedPage => {
    const left = rows.findIndex((row) => row.is_left)
    const entries = (left < 0 ? rows : rows.slice(0, left)).map((row) => {
      const kind = kindOf({ type: row.event, resource: row.resource, version: row.revision })
      return {
        seq: row.seq,
        event: row.event,
        resource: row.resource,
        resource_id: row.id,
        changed_at: row.changed_at,
        data: row.data,
        // The version of an upsert may have been deleted since then; a later entry contains what followed.
        json:
          kind === undefined || (kind === "upsert" && row.data === null)
            ? null
            : render({ ...row, type: row.resource, data: kind === "delete" ? null : row.data })
      }
    })
    const isCut = left >= 0 || rows.length === logPage
    return { entries, last: isCut ? entries.at(-1)!.seq : last }
  })
