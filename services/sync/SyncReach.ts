import { Effect } from "effect"
import { hash } from "node:crypto"
import { runSql } from "../database/Database.ts"
import type { Reads } from "../database/ReachedRows.ts"
import type { Unavailable } from "../Errors.ts"
import type { WorkspaceId } from "../Ids.ts"
import { Principal } from "../Principal.ts"
import type { Cursor } from "./Cursor.ts"

/** The notebooks that a limited caller reaches, to which its cursors are bound (contract 6). */
export interface SyncReach {
  /** A hash of them, of 22 characters; undefined if the caller reaches everything. */
  readonly hash: Effect.Effect<string | undefined, Unavailable, Principal>
  /**
   * Whether they are those of a cursor, as far as it matters: none has come, with notes that changed before, and none has gone.
   * One that was created since has only later changes.
   */
  readonly includes: (
    workspace_id: WorkspaceId,
    cursor: Pick<Cursor, "floor" | "seq" | "within">
  ) => Effect.Effect<boolean, Unavailable, Principal>
}

const createdText =
  "SELECT resource_id AS id FROM changes WHERE workspace_id = $1 AND seq > $2::bigint AND type = 'notebook.created'"

const hashOf = (ids: ReadonlyArray<string>): string => hash("sha256", ids.join(), "base64url").slice(0, 22)

/** `read` is limited to what its caller reaches. */
export const make = (read: Reads, whole: Reads): SyncReach => {
  const idsOf = (sql: Reads, text: string, params: ReadonlyArray<string>) =>
    Effect.map(runSql<{ readonly id: string }>(sql, text, params), (rows) => rows.map(({ id }) => id))

  const reached = Effect.flatMap(Principal, ({ reach }) =>
    reach === undefined ? Effect.undefined : idsOf(read, "SELECT id FROM reached ORDER BY id", [])
  )

  return {
    hash: Effect.map(reached, (ids) => (ids === undefined ? undefined : hashOf(ids))),
    includes: Effect.fnUntraced(function* (workspace_id, { floor, seq, within }) {
      const ids = yield* reached
      if (ids === undefined || within === undefined) return ids === undefined && within === undefined
      if (hashOf(ids) === within.notebooks) return true
      const created = new Set(yield* idsOf(whole, createdText, [workspace_id, String(Math.max(floor, seq))]))
      return hashOf(ids.filter((id) => !created.has(id))) === within.notebooks
    })
  }
}
