import { Effect } from "effect"
import { type Database, runSql } from "../database/Database.ts"
import { presentReach } from "../oauth/PresentReach.ts"
import type { UserId, WorkspaceId } from "../Ids.ts"
import * as Queue from "../jobs/Queue.ts"
import { isAtLeast, type Plan, type PrincipalShape, type Role } from "../Principal.ts"
import { writable } from "../Reach.ts"
import type { RevertRow } from "./ChangeSet.ts"

const memberText = `SELECT m.role, w.plan FROM members m JOIN workspaces w USING (workspace_id)
  WHERE m.workspace_id = $1 AND m.user_id = $2 AND w.deleted_at IS NULL`

/** Makes the function that returns the caller of a revert that runs: its author, with the present rights. */
export const make = (sql: Database["Service"]["read"]) => {
  /** What a limited credential may write to now. One that has ended reaches nothing. */
  const reachOf = Effect.fnUntraced(function* (workspace_id: WorkspaceId, row: RevertRow) {
    const reach = yield* presentReach(sql, workspace_id, row)
    if (reach?.length === 0) return yield* new Queue.Drop({ reason: "Its credential has ended" })
    return reach && writable(reach)
  })

  /** Fails if the rights do not suffice any more. */
  return Effect.fnUntraced(function* (workspace_id: WorkspaceId, row: RevertRow) {
    const { author_id, credential_id, id, is_limited } = row
    const [member] = yield* runSql<{ readonly role: Role; readonly plan: Plan }>(sql, memberText, [
      workspace_id,
      author_id
    ])
    if (member === undefined || !isAtLeast(member.role, "editor")) {
      return yield* new Queue.Drop({ reason: "Its author may not change the workspace any more" })
    }
    const principal: PrincipalShape = {
      user_id: author_id as UserId,
      workspace_id,
      home_id: workspace_id,
      kind: "session",
      credential_id: credential_id ?? id,
      digest: "",
      scopes: new Set(),
      ...member,
      reach: is_limited ? yield* reachOf(workspace_id, row) : undefined,
      expires_at: Infinity,
      device_id: null,
      names_foreign_device: false,
      ip: null,
      user_agent: null
    }
    return principal
  })
}
