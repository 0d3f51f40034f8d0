import type { Reads } from "../database/ReachedRows.ts"
import { Effect } from "effect"
import { runSql } from "../database/Database.ts"
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
  /** Whether others have changed the record before the next change of the set. */
  readonly is_followed: boolean
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

/** Moves into and out of the trash with the note, and changes of the revert itself ($4), are no changes of others. */
const textOf = (
  synced: SyncedRecord,
  log: string
): string => `WITH present AS MATERIALIZED (${presentOf(synced)}), own AS (
    SELECT *, lead(seq) OVER of_record AS next_seq, lead(coalesce(previous, revision - 1)) OVER of_record AS next
    FROM change_set_changes
    WHERE workspace_id = $1 AND change_set_id = $2 AND type = '${synced.type}' AND id = ANY($3::text[])
    WINDOW of_record AS (PARTITION BY id ORDER BY seq)
  )
  SELECT c.type, c.id, c.seq::float8 AS seq, c.revision, c.deleted, c.previous, c.before, c.note_id, ${
    synced.type === "note" ? "NULL::json" : `(SELECT l.data FROM ${log} l WHERE l.workspace_id = $1 AND l.seq = c.seq)`
  } AS after, coalesce(p.current, t.revision) AS current, coalesce(p.is_gone, true) AS is_gone,
    coalesce(c.next, p.current, t.revision) <> c.revision AND coalesce(c.next, p.current, t.revision) <> c.revision + (
      SELECT count(*) FROM ${log} o WHERE o.workspace_id = $1 AND o.note_id = c.note_id
        AND o.seq > c.seq AND o.seq < coalesce(c.next_seq, o.seq + 1) AND o.resource = c.type AND o.resource_id = c.id
        AND o.version > c.revision AND (o.with_note OR o.via->>'change_set_id' = $4)
    ) AS is_followed
  FROM own c LEFT JOIN present p ON p.id = c.id
  LEFT JOIN LATERAL (SELECT r.revision FROM records r
    WHERE p.id IS NULL AND r.workspace_id = $1 AND r.type = c.type AND r.id = c.id LIMIT 1) t ON true
  ORDER BY c.seq`

/** Splits the changes of a record where others have changed it in between. */
const split = (rows: ReadonlyArray<Row>): ReadonlyArray<ReadonlyArray<Row>> => {
  const parts: Array<Array<Row>> = []
  for (const row of rows) {
    const last = parts.at(-1)?.at(-1)
    if (last?.is_followed === false) parts.at(-1)!.push(row)
    else parts.push([row])
  }
  return parts
}

export interface Options {
  /** Whether also states are read that a revert does not need, such as the text of a note that it deletes. */
  readonly isWhole?: boolean
  /** The set of the revert that runs. */
  readonly reverted_by?: string | null
  /** Whether a preview has planned to bring a note back, and so the records that are in the trash with it. */
  readonly isBack?: (note_id: string) => boolean
}

/** A state whose content no merge needs. */
const some: Data = {}

/** A deleted comment that is kept for its replies counts as deleted. */
const shown = (state: State): State => (state?.["deleted"] === true ? null : state)

/** Makes the function that reads records of a change set. `log`: the table of changes, another one for limited callers. */
export const make = (sql: Reads, log = "changes") => {
  const texts = new Map(syncedTypes.map((synced) => [synced.type, textOf(synced, log)]))
  const earlier = EarlierRecords.make(sql, syncedTypes)

  return Effect.fnUntraced(function* (
    workspace_id: WorkspaceId,
    change_set_id: string,
    type: SyncType,
    ids: ReadonlyArray<string>,
    { isBack = () => false, isWhole = false, reverted_by = null }: Options = {}
  ) {
    const found = yield* runSql<Row>(sql, texts.get(type)!, [workspace_id, change_set_id, ids, reverted_by])
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
    const isLive = ({ deleted, is_gone, note_id, type }: Row): boolean =>
      is_gone === false || (type !== "note" && !deleted && note_id !== null && isBack(note_id))
    const requested = records.flatMap(({ isNew, key, last, parts }) => {
      const revisions =
        isNew || key.type !== "note"
          ? []
          : parts.flatMap((part) => [part[0]!.previous, part.at(-1)!.deleted ? null : part.at(-1)!.revision])
      const current = isLive(last) ? last.current : null
      return [...new Set([...revisions, current])].flatMap((revision) =>
        revision === null ? [] : [{ ...key, revision }]
      )
    })
    const states = yield* earlier(workspace_id, requested)
    return records.map(({ first, isNew, key, last, own, parts }): SetRecord => {
      const at = (revision: number): State => (states({ ...key, revision }) as Data | null) ?? undefined
      // A record that is gone and has no row was deleted by itself.
      const missing = last.is_gone === false ? some : null
      const data = isLive(last) ? ((states({ ...key, revision: last.current! }) as Data | null) ?? missing) : null
      const stateAfter = (row: Row): State => {
        if (row.deleted) return null
        if (isNew) return row.after ?? some
        if (key.type === "note") return at(row.revision)
        return row.after ?? (isLive(last) && row.current === row.revision ? data : undefined)
      }
      const stateBefore = (row: Row): State => {
        if (row.previous === null) return null
        return key.type === "note" ? at(row.previous) : ((row.before as Data | null) ?? undefined)
      }
      return {
        ...key,
        runs: parts.map((part) => ({
          before: shown(stateBefore(part[0]!)),
          after: shown(stateAfter(part.at(-1)!))
        })),
        current: { revision: last.current ?? last.revision, isLatest: !last.is_followed, data: shown(data) ?? null },
        changes: own.length,
        version_before: first.previous,
        version_after: last.deleted ? null : last.revision
      }
    })
  })
}
