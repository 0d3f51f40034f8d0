import { Clock, Effect } from "effect"
import { eventLife } from "../activity/Events.ts"
import type { Faults } from "./Check.ts"
import { eachSlice, ofWorkspace } from "./Snapshot.ts"

const day = 24 * 3_600_000

/**
 * The time from which entries of the log must exist. A day later than the time from which they are kept, as the clocks
 * of nodes differ.
 */
export const keptSince = Effect.map(Clock.currentTimeMillis, (now) => new Date(now - eventLife + day).toISOString())

interface Row {
  readonly workspace_id: string
  readonly head: number
  readonly first: number
  readonly last: number
  readonly count: number
  /** The first number that has no entry. */
  readonly hole: number | null
}

const query = `SELECT s.workspace_id, s.seq::float8 AS head, l.first::float8 AS first, l.last::float8 AS last,
    l.count::float8 AS count, (
      SELECT c.seq + 1 FROM changes c WHERE c.workspace_id = s.workspace_id AND c.seq >= l.first AND c.seq < l.last
        AND NOT EXISTS (SELECT FROM changes n WHERE n.workspace_id = c.workspace_id AND n.seq = c.seq + 1)
      ORDER BY c.workspace_id, c.seq LIMIT 1
    )::float8 AS hole
  FROM s ${ofWorkspace} CROSS JOIN LATERAL (
    SELECT min(c.seq) AS first, max(c.seq) AS last, count(*) AS count FROM changes c
    WHERE c.workspace_id = s.workspace_id AND c.seq >= (
      SELECT min(k.seq) FROM changes k WHERE k.workspace_id = s.workspace_id AND k.occurred_at >= $2
    )
  ) l WHERE l.count > 0 AND (l.last <> s.seq OR l.count <> l.last - l.first + 1)`

const remedy =
  "Restore a backup from before the fault. Without one, run sheaf sync reset: clients then pull everything again."

/** Checks that the log of each workspace has no holes, and ends where the head of the workspace does. */
export const logCheck = {
  name: "log",
  run: Effect.fnUntraced(function* (faults: Faults) {
    const since = yield* keptSince
    yield* eachSlice<Row, never, never>(
      { table: "heads", key: ["workspace_id"], size: 100, columns: "workspace_id, seq", query, params: [since] },
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
