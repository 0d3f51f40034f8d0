import type { Reads } from "../database/ReachedRows.ts"
import { Effect } from "effect"
import { Conflict } from "../Errors.ts"
import type { WorkspaceId } from "../Ids.ts"
import type { Role } from "../Principal.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { isDeletedText } from "./IdentityTables.ts"

/** The workspaces that an account has to leave before it ends (contract 4, "When an account is deleted"). */

/** Maximum number of workspaces that a problem names. */
const maxNamed = 100

/** A workspace that a user is a member of, has API keys in, or has as personal workspace. */
export interface Place {
  readonly workspace_id: WorkspaceId
  readonly name: string
  readonly slug: string
  readonly is_deleted: boolean
  readonly member_id: string | null
  readonly role: Role | null
  /** Number of other members, and of other owners, whose accounts are not deleted. */
  readonly others: number
  readonly other_owners: number
}

const countOthers = (condition: string) =>
  `(SELECT count(*)::int FROM members o WHERE o.workspace_id = w.workspace_id AND o.user_id <> $1 AND ${condition}
    AND NOT ${isDeletedText("o.user_id")})`

/** Returns the workspaces of a user, or the one with this id, in the order of ids. */
export const placesOf = (sql: Reads, user_id: string, workspace_id?: string) =>
  sql.unsafe<Place>(
    `SELECT w.workspace_id, w.name, w.slug, w.deleted_at IS NOT NULL AS is_deleted, m.id AS member_id, m.role,
      ${countOthers("true")} AS others, ${countOthers("o.role = 'owner'")} AS other_owners
    FROM workspaces w LEFT JOIN members m ON m.workspace_id = w.workspace_id AND m.user_id = $1
    WHERE ($2::text IS NULL OR w.workspace_id = $2) AND w.workspace_id IN (
      SELECT workspace_id FROM members WHERE user_id = $1
      UNION SELECT workspace_id FROM api_keys WHERE user_id = $1
      UNION SELECT workspace_id FROM users WHERE id = $1
    ) ORDER BY w.workspace_id`,
    [user_id, workspace_id ?? null]
  )

/** Locks all owners of the user's workspaces in the order of keys, so that of two last owners only one can go. */
export const holdOwners = (draft: LockedDraft, user_id: string) =>
  draft.runSql(
    `SELECT id FROM members WHERE role = 'owner' AND workspace_id IN (
        SELECT workspace_id FROM members WHERE user_id = $1 AND role = 'owner'
      ) ORDER BY workspace_id, id FOR UPDATE`,
    [user_id]
  )

/** Refuses to leave members without an owner. */
export const needOtherOwners = (places: ReadonlyArray<Place>) => {
  const orphaned = places
    .filter(
      ({ is_deleted, other_owners, others, role }) =>
        !is_deleted && role === "owner" && others > 0 && other_owners === 0
    )
    .slice(0, maxNamed)
  if (orphaned.length === 0) return Effect.void
  const names = orphaned.map(({ name, slug }) => `"${name}" (${slug})`).join(", ")
  return Effect.fail(
    new Conflict({
      code: "last_owner",
      detail: `The user is the last owner of ${names}, with other members: make one of them an owner first`,
      extra: { workspaces: orphaned.map(({ name, slug, workspace_id }) => ({ id: workspace_id, name, slug })) }
    })
  )
}
