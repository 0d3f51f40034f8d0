import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { Change } from "../storage/Change.ts"
import { isSyncType } from "./SyncObject.ts"

/** What each type of record looks like in change data: its members, without the derived ones (contract 2). */
const shapes: Readonly<Record<string, { readonly table: string; readonly columns: ReadonlyArray<string> }>> = {
  note: {
    table: "notes",
    columns: ["id", "notebook_id", "title", "body", "tags", "pinned", "archived", "version", "word_count",
      "created_at", "updated_at"]
  },
  notebook: {
    table: "notebooks",
    columns: ["id", "name", "color", "icon", "parent_id", "created_at", "updated_at"]
  },
  tag: { table: "tags", columns: ["id", "name", "color", "created_at"] }
}

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

const current = Object.entries(shapes).map(([type, { columns, table }]) =>
  `WHEN '${type}' THEN (SELECT row_to_json(t)::text FROM (
    SELECT ${columns.join(", ")} FROM ${table} x WHERE x.workspace_id = $1 AND x.id = p.id) t)`
).join("\n")

/**
 * Records by the order of their last change, each once, at its newest state. Looked up one by one through the index on
 * the order, so that the cost is that of what is returned; the head is read by the same snapshot.
 */
const scan = (condition: string, limit: number) =>
  `SELECT h.seq::float8 AS head, h.epoch, p.seq::float8 AS seq, p.type, p.id, p.revision, p.changed_at, p.actor_id,
    p.device_id, p.found, CASE WHEN p.deleted THEN NULL ELSE CASE p.type ${current} END END AS data
  FROM heads h LEFT JOIN LATERAL (
    SELECT r.*, (count(*) OVER ())::int AS found, (sum(r.bytes) OVER (ROWS UNBOUNDED PRECEDING)) - r.bytes AS before
    FROM (
      SELECT * FROM records WHERE workspace_id = $1 AND seq > $2::bigint AND ${condition} ORDER BY seq LIMIT ${limit}
    ) r
  ) p ON p.before < 4194304
  WHERE h.workspace_id = $1`

export interface Scanned {
  readonly head: Head
  readonly entries: ReadonlyArray<{ readonly seq: number; readonly json: string }>
  readonly has_more: boolean
}

/** Up to `limit` records changed after `seq`. With `floor`, only what still exists and changed no later than it. */
export const changedAfter = (sql: PgClient, options: {
  readonly workspace_id: string
  readonly seq: number
  readonly limit: number
  readonly floor: number
  readonly types: ReadonlySet<string> | undefined
}): Effect.Effect<Scanned, SqlError.SqlError> => {
  const params: Array<unknown> = [options.workspace_id, String(options.seq)]
  const conditions: Array<string> = []
  if (options.floor > 0) conditions.push(`NOT deleted AND seq <= $${params.push(String(options.floor))}::bigint`)
  if (options.types !== undefined) conditions.push(`type = ANY($${params.push([...options.types])}::text[])`)
  return Effect.map(
    sql.unsafe<Row & { readonly head: number; readonly epoch: string; readonly found: number | null }>(
      scan(conditions.length === 0 ? "true" : conditions.join(" AND "), options.limit + 1),
      params
    ),
    (rows) => {
      const first = rows[0]
      if (first === undefined) throw new Error("a workspace without a head")
      const found = first.found ?? 0
      const shown = found === 0 ? [] : rows.slice(0, options.limit)
      return {
        head: { seq: first.head, epoch: first.epoch },
        entries: shown.map((row) => ({ seq: row.seq, json: render(row) })),
        has_more: found > shown.length
      }
    }
  )
}

/** Event types after which a record is gone. */
const removals = new Set(["note.deleted", "note.purged", "notebook.deleted", "tag.deleted", "tag.merged"])

/** Whether a log entry is a change to a record that clients sync, and whether it takes the record away. */
export const kindOf = (change: Pick<Change, "type" | "resource" | "version">): "upsert" | "delete" | undefined =>
  change.version === null || !isSyncType(change.resource)
    ? undefined
    : removals.has(change.type)
    ? "delete"
    : "upsert"

const noteMembers = shapes["note"]!.columns.map((column) =>
  column === "id" ? "v.note_id AS id" : column === "created_at" ? "n.created_at" : column === "updated_at"
    ? "v.created_at AS updated_at"
    : column === "body"
    ? `coalesce(v.body, (SELECT w.body FROM note_versions w WHERE w.workspace_id = v.workspace_id AND
      w.note_id = v.note_id AND w.version > v.version AND w.body IS NOT NULL ORDER BY w.version LIMIT 1), n.body) AS body`
    : `v.${column}`
).join(", ")

/**
 * The log from `after` on, each change as it was: notes from their history, other records as the log noted them. For
 * what was written elsewhere, and is to be told live here.
 */
const history = `SELECT c.seq::float8 AS seq, c.type AS event, c.resource, c.resource_id AS id, c.version AS revision,
    c.occurred_at AS changed_at, c.actor_id, c.device_id,
    CASE WHEN c.resource <> 'note' THEN c.data::text
      WHEN c.version IS NULL THEN NULL
      ELSE coalesce(
        (SELECT row_to_json(t)::text FROM (SELECT ${
  shapes["note"]!.columns.join(", ")
} FROM notes n WHERE n.workspace_id = $1
          AND n.id = c.resource_id AND n.version = c.version) t),
        (SELECT row_to_json(t)::text FROM (SELECT ${noteMembers} FROM note_versions v
          JOIN notes n ON n.workspace_id = v.workspace_id AND n.id = v.note_id
          WHERE v.workspace_id = $1 AND v.note_id = c.resource_id AND v.version = c.version) t))
    END AS data
  FROM changes c WHERE c.workspace_id = $1 AND c.seq > $2::bigint AND c.seq <= $3::bigint ORDER BY c.seq`

export interface Logged {
  readonly seq: number
  readonly event: string
  readonly resource_id: string
  /** null: not a change to a record that clients sync. */
  readonly json: string | null
}

export const loggedBetween = (sql: PgClient, workspace_id: string, after: number, last: number) =>
  Effect.map(
    sql.unsafe<Omit<Row, "type"> & { readonly event: string; readonly resource: string }>(history, [
      workspace_id,
      String(after),
      String(last)
    ]),
    (rows): ReadonlyArray<Logged> =>
      rows.map((row) => {
        const kind = kindOf({ type: row.event, resource: row.resource, version: row.revision })
        return {
          seq: row.seq,
          event: row.event,
          resource_id: row.id,
          json: kind === undefined
            ? null
            : render({ ...row, type: row.resource, data: kind === "delete" ? null : row.data })
        }
      })
  )
