import { Effect } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import { Database, runSql } from "../database/Database.ts"
import type { Plan } from "../Principal.ts"
import { type Counts, counters } from "../tables/Counters.ts"
import { Plans } from "./Plans.ts"

interface Row extends Counts {
  readonly id: WorkspaceId
  readonly slug: string
  readonly plan: Plan
  readonly seats: number
  readonly members: number
}

const text = `SELECT w.workspace_id AS id, w.slug, w.plan, w.seats,
    (SELECT count(*)::int FROM members m WHERE m.workspace_id = w.workspace_id) AS members,
    ${counters.map((counter) => `h.${counter}::float8 AS ${counter}`).join(", ")}
  FROM workspaces w JOIN heads h ON h.workspace_id = w.workspace_id WHERE w.workspace_id = $1`

/** The usage of a workspace by counter, with the limits of its plan; 0 is no limit. */
export const usageOf = Effect.fnUntraced(function* (workspace_id: WorkspaceId) {
  const { read } = yield* Database
  const { limits } = yield* Plans
  const rows = yield* runSql<Row>(read, text, [workspace_id])
  return rows.map((row) => ({
    ...row,
    notes_limit: limits[row.plan].notes,
    storage_bytes_limit: limits[row.plan].storage_bytes
  }))[0]
})
