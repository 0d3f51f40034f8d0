import type { Draft } from "../writer/Draft.ts"
import * as Column from "../tables/Column.ts"
import * as Table from "../tables/Table.ts"

/** What takes its time, exports and imports, as a row of a queue. Its id is that of its record. */
export const transfers = Table.make(
  "transfers",
  {
    id: Column.text(),
    /** How far it is, of 1000. */
    permille: Column.int,
    attempts: Column.int,
    next_at: Column.text(),
    created_at: Column.text()
  },
  { key: ["id"] }
)
export type TransferRow = Table.Row<typeof transfers>

/** So many of a workspace are worked on at a time, and so many wait (contract 7). */
export const mostRunning = 2
export const mostWaiting = 20

/** Puts one into the draft that makes its record. Once that is stored, the queue is to be woken. */
export const put = (draft: Draft, id: string): void =>
  draft.add(transfers, { id, permille: 0, attempts: 0, next_at: draft.now, created_at: draft.now })
