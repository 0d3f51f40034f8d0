import { Effect } from "effect"
import { Database } from "../../../services/database/Database.ts"

/** An entry of the event log. */
export interface LoggedEvent {
  readonly id: string
  /** Such as `note.created`. */
  readonly type: string
  readonly workspace_id: string
  readonly resource_type: string
  readonly resource_id: string
  /** RFC 3339, by the server's clock. */
  readonly occurred_at: string
  readonly data: Readonly<Record<string, unknown>> | null
}

/** Maximum number of events that are read. */
const most = 10_000

/** The entries of all workspaces, oldest first. */
export const read = Effect.flatMap(Database, ({ read }) =>
  read.unsafe<LoggedEvent>(
    `SELECT id, type, workspace_id, resource AS resource_type, resource_id, occurred_at, data FROM changes
    ORDER BY occurred_at, workspace_id, seq LIMIT ${most}`
  )
)
