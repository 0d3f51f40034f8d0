import { Clock, Effect } from "effect"
import { type Reads, statementOf } from "../database/ReachedRows.ts"
import type { Reach } from "../Reach.ts"
import { isDeletedText } from "../identity/IdentityTables.ts"

/** A job in the background that a user started with a credential: null for one that was not limited. */
interface Started {
  readonly author_id: string | null
  readonly credential_id: string | null
}

const text = `SELECT coalesce(k.notebooks, s.app -> 'notebooks') AS reach
  FROM users u JOIN members m ON m.workspace_id = $1 AND m.user_id = u.id
    LEFT JOIN api_keys k ON k.workspace_id = $1 AND k.id = $2 AND coalesce(k.expires_at > $4, true)
    LEFT JOIN sessions s ON s.workspace_id = u.workspace_id AND s.id = $2 AND s.app ->> 'workspace_id' = $1 AND s.expires_at > $4
  WHERE u.id = $3 AND u.suspended_at IS NULL AND NOT ${isDeletedText("u.id")} AND coalesce(k.id, s.id) IS NOT NULL`

/**
 * What the limited credential that started a job reaches now: nothing if it has ended. Undefined for everything, without a
 * query for other credentials.
 */
export const presentReach = Effect.fnUntraced(function* (
  sql: Reads,
  workspace_id: string,
  { author_id, credential_id }: Started
) {
  if (credential_id === null) return undefined
  const now = new Date(yield* Clock.currentTimeMillis).toISOString()
  const [row] = yield* Effect.orDie(
    sql.unsafe<{ readonly reach: Reach | null }>(text, [workspace_id, credential_id, author_id, now])
  )
  return row === undefined ? [] : (row.reach ?? undefined)
})

/** Reads what that credential reaches at the time of each read. */
export const presentReads = (sql: Reads, workspace_id: string, started: Started): Reads => ({
  unsafe: <Row extends object>(text: string, params?: ReadonlyArray<unknown>) =>
    Effect.gen(function* () {
      const reach = yield* presentReach(sql, workspace_id, started)
      const own = statementOf({ workspace_id, reach }, yield* Clock.currentTimeMillis, text, params)
      return yield* sql.unsafe<Row>(own.text, own.params)
    })
})
