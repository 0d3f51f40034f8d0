import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { orUnavailable } from "../database/Database.ts"
import type { WorkspaceId } from "../Ids.ts"
import * as EarlierRecords from "../records/EarlierRecords.ts"
import type { Data } from "../records/Merge.ts"
import { syncedTypes } from "../sync/SyncedTypes.ts"
import type { SyncedRecord } from "../records/SyncedRecord.ts"
import { rows, type SyncType } from "../Resources.ts"
import type { SetChange } from "../writer/ChangeSetLog.ts"
import type { Current, Run, State } from "./RevertPlan.ts"

/** A record of a change set. */
export interface RecordKey {
  readonly type: SyncType
  readonly id: string
}

/** A record of a set with its states, as far as they are kept. */
export interface SetRecord extends RecordKey {
  readonly runs: ReadonlyArray<Run>
  readonly current: Current
  readonly changes: number
  readonly version_before: number | null
  readonly version_after: number | null
}

/** A change, with the record that the log has after it, and the present revision of the record. */
interface Row extends SetChange {
  readonly after: Data | null
  readonly current: number | null
  readonly is_gone: boolean | null
}

/**
 * The present revision of a record, from the table of its type: without statistics, the planner would look into `records` by
 * its type alone.
 */
const presentOf = ({ table, type }: SyncedRecord): string => {
  const [revision, gone] =
    type === "note" ? ["version", "deleted_at IS NOT NULL"] : ["revision", rows[type].isOfNote ? "trashed" : "false"]
  return `SELECT id, ${revision} AS current, ${gone} AS is_gone FROM ${table.name}
    WHERE workspace_id = $1 AND id = ANY($3::text[])`
}

const textOf = (synced: SyncedRecord): string => `WITH present AS MATERIALIZED (${presentOf(synced)})
  SELECT c.id, c.seq::float8 AS seq, c.revision, c.deleted, c.previous, c.before, ${
    synced.type === "note" ? "NULL::json" : "(SELECT l.data FROM changes l WHERE l.workspace_id = $1 AND l.seq = c.seq)"
  } AS after, p.current, p.is_gone
  FROM change_set_changes c LEFT JOIN present p ON p.id = c.id
  WHERE c.workspace_id = $1 AND c.change_set_id = $2 AND c.type = '${synced.type}' AND c.id = ANY($3::text[])
  ORDER BY c.seq`

const texts = new Map(syncedTypes.map((synced) => [synced.type, textOf(synced)]))

/** Splits the changes of a record where others have changed it in between. */
const split = (rows: ReadonlyArray<Row>): ReadonlyArray<ReadonlyArray<Row>> => {
  const parts: Array<Array<Row>> = []
  for (const row of rows) {
    const last = parts.at(-1)?.at(-1)
    const isNext = last !== undefined && (row.previous ?? row.revision - 1) === last.revision
    if (isNext) parts.at(-1)!.push(row)
    else parts.push([row])
  }
  return parts
}

/** A state whose content no merge needs. */
const some: Data = {}

/** Reads records of a change set. */
export const make = (sql: PgClient) => {
  const earlier = EarlierRecords.make(sql, syncedTypes)

  /** `isWhole`: whether also states are read that a revert does not need, such as the text of a note that it deletes. */
  return Effect.fnUntraced(function* (
    workspace_id: WorkspaceId,
    change_set_id: string,
    type: SyncType,
    ids: ReadonlyArray<string>,
    isWhole: boolean
  ) {
    const found = yield* orUnavailable(sql.unsafe<Row>(texts.get(type)!, [workspace_id, change_set_id, ids]))
    const byRecord = Map.groupBy(found, ({ id }) => id)
    const records = ids.flatMap((id) => {
      const own = byRecord.get(id)
      if (own === undefined) return []
      const key = { type, id }
      const parts = split(own)
      const [first, last] = [own[0]!, own.at(-1)!]
      const isNew = parts.length === 1 && first.previous === null
      return [{ key, own, parts, first, last, isNew: isNew && !isWhole }]
    })
    const requested = records.flatMap(({ isNew, key, last, parts }) => {
      const revisions =
        isNew || key.type !== "note"
          ? []
          : parts.flatMap((part) => [part[0]!.previous, part.at(-1)!.deleted ? null : part.at(-1)!.revision])
      const current = last.is_gone === false ? last.current : null
      return [...new Set([...revisions, current])].flatMap((revision) =>
        revision === null ? [] : [{ ...key, revision }]
      )
    })
    const states = yield* earlier(workspace_id, requested)
    return records.map(({ first, isNew, key, last, own, parts }): SetRecord => {
      const at = (revision: number): State => (states({ ...key, revision }) as Data | null) ?? undefined
      const isLive = last.is_gone === false
      const data = isLive ? ((states({ ...key, revision: last.current! }) as Data | null) ?? some) : null
      const stateAfter = (row: Row): State => {
        if (row.deleted) return null
        if (isNew) return some
        if (key.type === "note") return at(row.revision)
        return row.after ?? (isLive && row.current === row.revision ? data : undefined)
      }
      const stateBefore = (row: Row): State => {
        if (row.previous === null) return null
        return key.type === "note" ? at(row.previous) : ((row.before as Data | null) ?? undefined)
      }
      return {
        ...key,
        runs: parts.map((part) => ({
          before: stateBefore(part[0]!),
          after: stateAfter(part.at(-1)!),
          revision: part.at(-1)!.revision
        })),
        current: { revision: last.current ?? last.revision, data },
        changes: own.length,
        version_before: first.previous,
        version_after: last.deleted ? null : last.revision
      }
    })
  })
}
