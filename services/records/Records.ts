import { Effect } from "effect"
import { type Condition, NotFound } from "../Errors.ts"
import type { EventType } from "../EventTypes.ts"
import { rows, type SyncType } from "../Resources.ts"
import type { Counter } from "../tables/Counters.ts"
import type { Draft } from "../writer/Draft.ts"
import type { RecordTable } from "../tables/Table.ts"

interface Revised {
  readonly id: string
  readonly revision: number
}

/** Estimated bytes of a tombstone on the wire. */
const tombstoneBytes = 50

interface Options<Row extends Revised, Shown extends object> {
  readonly type: SyncType
  readonly table: RecordTable<Row, Shown>
  /** Estimated bytes of a record on the wire; by default the weight of its row. */
  readonly weigh?: (row: Row) => number
  /** Whether the log contains each change as a whole record: not for types whose records can be large. */
  readonly isLogged?: boolean
}

/** Returns the operations on records of a type in a draft: the table has their latest state, the log every change. */
export const of = <Row extends Revised, Shown extends object>({
  isLogged = true,
  table,
  type,
  weigh = table.weigh!
}: Options<Row, Shown>) => {
  const missing = NotFound.of(type)
  const counter = rows[type].counter as Counter
  return {
    type,
    table,
    missing,
    weigh,
    counter,

    /** Returns the record; fails with 404 if it does not exist, with 412 if it does not meet the condition. */
    get: Effect.fnUntracedEager(function* (draft: Draft, id: string, condition?: Condition<Shown>) {
      const row = yield* draft.get(table, id)
      if (row === undefined) return yield* missing
      if (condition !== undefined) yield* condition(table.show(row), row.revision)
      return row
    }),

    /** Stores the record, appends the event to the log, and returns the record as clients see it. */
    put: (draft: Draft, row: Row, event: EventType): Shown => {
      const before = row.revision === 1 ? null : draft.known(table, row.id)
      const bytes = weigh(row)
      const data = table.dataOf(row)
      // A record with revision 1 is new.
      row.revision === 1 ? draft.add(table, row, bytes) : draft.put(table, row, bytes)
      draft.append({
        type: event,
        resource: type,
        resource_id: row.id,
        data: isLogged ? data : null,
        record: {
          revision: row.revision,
          value: data,
          bytes,
          previous: before == null ? null : { revision: before.revision, data: table.dataOf(before) }
        }
      })
      return table.show(row)
    },

    remove: (draft: Draft, row: Row, event: EventType, data: unknown = null): void => {
      draft.remove(table, row.id)
      draft.count(counter, -1)
      draft.append({
        type: event,
        resource: type,
        resource_id: row.id,
        data,
        record: {
          revision: draft.revisionAfter(row.revision),
          value: null,
          bytes: tombstoneBytes,
          previous: { revision: row.revision, data: table.dataOf(row) }
        }
      })
    }
  }
}

export type Records<Row extends Revised, Shown extends object> = ReturnType<typeof of<Row, Shown>>
