import { Conflict } from "../Errors.ts"
import type { Draft } from "../writer/Draft.ts"
import * as Column from "../tables/Column.ts"
import * as Table from "../tables/Table.ts"

/** The queue of exports and imports. The id of a row is that of the export or import. */
export const transfers = Table.make(
  "transfers",
  {
    id: Column.text(),
    /** The progress, from 0 to 1000. */
    permille: Column.int,
    attempts: Column.int,
    next_at: Column.text(),
    created_at: Column.text()
  },
  { key: ["id"] }
)

/** Maximum numbers of running and of waiting exports and imports per workspace (contract, section 7). */
export const maxRunning = 2
export const maxWaiting = 20

/** Adds a job to the draft that creates its export or import. After the commit, call `wake` of the queue. */
export const put = (draft: Draft, id: string): void =>
  draft.add(transfers, { id, permille: 0, attempts: 0, next_at: draft.now, created_at: draft.now })

/** Refuses to repeat an export or import with this stored status. */
export const notFailed = (status: string) =>
  new Conflict({
    code: "invalid_state",
    detail: status === "queued" ? "It has not ended: it runs, or it waits for its turn" : "It has not failed"
  })
