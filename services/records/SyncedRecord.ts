import type { Schema } from "effect"
import type { EventType } from "../EventTypes.ts"
import type { SyncType } from "../Resources.ts"
import { rowJson } from "../tables/RowJson.ts"
import type { RecordTable } from "../tables/Table.ts"

/** A type of record that clients sync. */
export interface SyncedRecord {
  readonly type: SyncType
  readonly table: RecordTable<any, any>
  /** The whole record, as sync sends it. */
  readonly data: Schema.Codec<unknown>
  /** The members that a push can set, any subset of them. */
  readonly pushed: Schema.Codec<unknown>
  /** Members that can hold the id of a record that the same push creates earlier. */
  readonly references?: ReadonlyArray<string>
  /** Event types after which a record is gone. */
  readonly removals: ReadonlyArray<EventType>
  /**
   * For records that the log does not hold: an SQL expression for the JSON of the record after the change `c` of the
   * log, null when that is no longer kept; and one for its approximate bytes, which reads none of its text.
   */
  readonly earlier?: { readonly json: string; readonly bytes: string }
}

/** For records that neither the log nor a history holds: an older change has no data, as a newer change follows it. */
export const currentOnly = ({ large, name, synced }: RecordTable<any, any>): NonNullable<SyncedRecord["earlier"]> => {
  const row = `FROM ${name} t WHERE t.workspace_id = c.workspace_id AND t.id = c.resource_id AND t.revision = c.version`
  return {
    json: `(SELECT ${rowJson("t", synced)} ${row})`,
    bytes: `(SELECT ${["0", ...large.map((column) => `octet_length(t.${column})`)].join(" + ")} ${row})`
  }
}

/** Approximate maximum bytes of records per read of the log, but at least one record: like the read of one note. */
const logBytes = 256 * 1024

/**
 * A part of the log as a table expression `c`, in order, at most `limit` entries. `c.is_left`: the entries before it
 * already reach the maximum bytes, so its record is left for the next read.
 */
export const measuredLog = (types: ReadonlyArray<SyncedRecord>, where: string, limit: number): string => {
  const earlier = types.flatMap(({ earlier, type }) =>
    earlier === undefined ? [] : `WHEN '${type}' THEN ${earlier.bytes}`
  )
  const bytes = `CASE WHEN c.version IS NULL THEN 0
    ELSE coalesce(CASE c.resource ${earlier.join(" ")} ELSE octet_length(c.data::text) END, 0) END`
  return `(SELECT c.*, (sum(c.bytes) OVER (ORDER BY c.seq ROWS UNBOUNDED PRECEDING)) - c.bytes >= ${logBytes} AS is_left
    FROM (SELECT c.*, ${bytes} AS bytes FROM changes c WHERE ${where} ORDER BY c.seq LIMIT ${limit}) c) c`
}
