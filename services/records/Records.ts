import { Effect } from "effect"
import { type Condition, NotFound } from "../Errors.ts"
import type { EventType } from "../EventTypes.ts"
import type { Counter } from "../tables/Counters.ts"
import type { Draft } from "../writer/Draft.ts"
import type { RecordTable } from "../tables/Table.ts"

interface Revised {
  readonly id: string
  readonly revision: number
}

/** About what the tombstone of a record weighs on the wire. */
const tombstoneBytes = 50

interface Options<Row extends Revised, Shown extends object> {
  /** Their type, as log and sync name it, and problems too. */
  readonly type: string
  readonly table: RecordTable<Row, Shown>
  /** About what a record weighs on the wire. */
  readonly weigh: (row: Row) => number
  /** What counts them in the head. */
  readonly counter?: Counter
  /** Whether the log holds each change whole: not where a record can be large. */
  readonly isLogged?: boolean
}

/**
 * Records of which the table holds the newest state, and the log each change, whole unless it can be large: what their
 * services do with them in a draft.
 */
export const of = <Row extends Revised, Shown extends object>({
  counter,
  isLogged = true,
  table,
  type,
  weigh
}: Options<Row, Shown>) => {
  const missing = NotFound.of(type)
  return {
    type,
    table,
    missing,
    weigh,

    /** The record, or 404; where it is not what the caller expects, 412. */
    get: Effect.fnUntracedEager(function* (draft: Draft, id: string, condition?: Condition<Shown>) {
      const row = yield* draft.get(table, id)
      if (row === undefined) return yield* missing
      if (condition !== undefined) yield* condition(table.show(row), row.revision)
      return row
    }),

    /** Writes the record and says so in the log; it is answered as shown. */
    put: (draft: Draft, row: Row, event: EventType): Shown => {
      const bytes = weigh(row)
      const data = table.dataOf(row)
      // The first revision is the first that there is.
      row.revision === 1 ? draft.add(table, row, bytes) : draft.put(table, row, bytes)
      draft.append({
        type: event,
        resource: type,
        resource_id: row.id,
        data: isLogged ? data : null,
        record: { revision: row.revision, value: data, bytes }
      })
      return table.show(row)
    },

    remove: (draft: Draft, row: Row, event: EventType, data: unknown = null): void => {
      draft.remove(table, row.id)
      if (counter !== undefined) draft.count(counter, -1)
      draft.append({
        type: event,
        resource: type,
        resource_id: row.id,
        data,
        record: { revision: row.revision + 1, value: null, bytes: tombstoneBytes }
      })
    }
  }
}

export type Records<Row extends Revised, Shown extends object> = ReturnType<typeof of<Row, Shown>>
