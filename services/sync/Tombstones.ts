import { Effect } from "effect"
import { Database } from "../database/Database.ts"
import { ago, deleteInBatches } from "../database/DeleteInBatches.ts"
import { tombstoneLife } from "./Cursor.ts"

/** Deletes tombstones that are older than all valid cursors. */
export const dropTombstones = Effect.gen(function* () {
  const { write } = yield* Database
  const cutoff = yield* ago(tombstoneLife)
  yield* deleteInBatches(write, "records", "deleted AND changed_at < $1", cutoff)
  yield* deleteInBatches(write, "departures", "changed_at < $1", cutoff)
})
