import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { Invalid } from "../Errors.ts"

export const foreignDevice = Invalid.field("device.id", "taken", "is another user's device")

/**
 * Whether a device is that of another user, as far as the user can know of it: of the same workspace, or of somebody
 * with whom they share one. What strangers call their devices is no matter here.
 */
export const isForeign = (sql: PgClient, user_id: string, device_id: string) =>
  Effect.map(
    sql.unsafe(
      `SELECT 1 AS found FROM devices d WHERE d.id = $1 AND d.user_id <> $2 AND EXISTS (
        SELECT FROM members own WHERE own.user_id = $2 AND (own.workspace_id = d.workspace_id OR EXISTS (
          SELECT FROM members other WHERE other.workspace_id = own.workspace_id AND other.user_id = d.user_id
        ))
      ) LIMIT 1`,
      [device_id, user_id]
    ),
    (rows) => rows.length > 0
  )
