import * as Ids from "../Ids.ts"
import type { RandomnessShape } from "../Randomness.ts"
import { type ResourceType, rows } from "../Resources.ts"
import * as Column from "../tables/Column.ts"
import * as Table from "../tables/Table.ts"
import type { Via } from "./Actor.ts"

/** The log of a workspace. */
export const changes = Table.make(
  "changes",
  {
    seq: Column.bigint,
    /** `ev_…`: contains the seq, so that the entry is found by the primary key. */
    id: Column.text(),
    /** Event type, such as `note.updated` (contract 9). */
    type: Column.text(),
    resource: Column.text(),
    resource_id: Column.text(),
    /** Revision of the record after the change; null where the resource has none. */
    version: Column.nullable(Column.int),
    actor_id: Column.nullable(Column.text()),
    device_id: Column.nullable(Column.text()),
    ip: Column.nullable(Column.text()),
    data: Column.json<unknown>(),
    /** The note that the record is or belongs to: its activity lists the change, and its erasure erases the data. */
    note_id: Column.nullable(Column.text()),
    /** Whether the record followed its note into the trash, or out of it. */
    with_note: Column.boolean,
    /** Null if the server made the change by itself. */
    via: Column.nullable(Column.json<Via>()),
    /** The same as in `via`. */
    conflict_of: Column.nullable(Column.text()),
    occurred_at: Column.text()
  },
  { key: ["seq"], appendOnly: true }
)
/** One entry of the log. */
export type Change = Table.Row<typeof changes>

/** The note that a record is or belongs to, if it is known. `value`: the record, or a part of it. */
export const noteOf = (resource: string, id: string, value: unknown): string | null => {
  if (resource === "note") return id
  if (rows[resource as ResourceType]?.isOfNote !== true) return null
  return (value as { readonly note_id?: string } | null | undefined)?.note_id ?? null
}

/** The last change of each record: the table that pull scans. */
export const records = Table.make(
  "records",
  {
    type: Column.text(),
    id: Column.text(),
    seq: Column.bigint,
    revision: Column.int,
    deleted: Column.boolean,
    /** Approximate bytes of its data on the wire. */
    bytes: Column.int,
    changed_at: Column.text(),
    actor_id: Column.nullable(Column.text()),
    device_id: Column.nullable(Column.text())
  },
  { key: ["type", "id"] }
)
export type RecordRow = Table.Row<typeof records>

/** Makes the id of an event, which contains its seq. */
export const eventId = (randomness: RandomnessShape, seq: number): string =>
  `ev_${Ids.base62(seq, 8)}${randomness.text(14)}`

/** The seq in the id of an event, by which the log is read; -1 if it is no such id. */
export const seqOfEvent = (id: string): number =>
  /^ev_[0-9A-Za-z]{22}$/.test(id) ? Ids.fromBase62(id.slice(3, 11)) : -1
