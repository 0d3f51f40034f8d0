import { Effect } from "effect"
import { type LogGap, logGaps, logKeptSince } from "../activity/LogGaps.ts"
import type { Faults } from "./Check.ts"
import { eachSlice } from "./Snapshot.ts"

const remedy =
  "Restore a backup from before the fault. Without one, run sheaf sync reset: clients then pull everything again. The fault is shown until the log has no entries of that time, 90 days later."

/** Checks that the log of each workspace has no holes, and ends where the head of the workspace does. */
export const logCheck = {
  name: "log",
  run: Effect.fnUntraced(function* (faults: Faults) {
    const since = yield* logKeptSince
    yield* eachSlice<LogGap, never, never>(
      {
        table: "heads",
        key: ["workspace_id"],
        size: 100,
        columns: "workspace_id, seq",
        query: logGaps("$2"),
        params: [since]
      },
      ({ count, first, head, hole, last, workspace_id }) => {
        const missing = last - first + 1 - count
        faults.add({
          workspace_id,
          problem:
            hole === null
              ? `The log of the workspace ends at ${last}, and its head is at ${head}.`
              : `The log of the workspace has ${count} entries from ${first} to ${last}: ${missing} are missing, the first at ${hole}.`,
          remedy
        })
        return Effect.succeed(!faults.isFull)
      }
    )
  })
}
