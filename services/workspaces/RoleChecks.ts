import { Effect } from "effect"
import { Forbidden, NotFound } from "../Errors.ts"
import { isAtLeast, type Role } from "../Principal.ts"
import type { Draft } from "../writer/Draft.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { exceeded } from "./Quotas.ts"
import { members } from "./WorkspaceTables.ts"

export const insufficient = (least: Role): Forbidden =>
  new Forbidden({
    code: "insufficient_role",
    detail: `At least the role ${least} is needed`,
    extra: { required_role: least }
  })

/**
 * Returns the current role of a user in the draft's workspace. The role at the start of the request may have changed
 * while the write waited.
 */
export const roleOf = Effect.fnUntraced(function* (draft: LockedDraft, user_id: string) {
  const [row] = yield* draft.runSql<{ readonly role: Role }>(
    `SELECT role FROM members m JOIN workspaces w ON w.workspace_id = m.workspace_id AND w.deleted_at IS NULL
    WHERE m.workspace_id = $1 AND user_id = $2`,
    [draft.workspace_id, user_id]
  )
  return row === undefined ? yield* NotFound.of("workspace") : row.role
})

/** The same in any draft; undefined if the user is not a member. */
export const roleIn = (draft: Draft, user_id: string): Effect.Effect<Role | undefined> =>
  Effect.map(draft.having(members, "user_id", user_id), ([member]) => member?.role)

/** Refuses a user whose current role is below one of the given roles. */
export const needRole = Effect.fnUntraced(function* (draft: LockedDraft, user_id: string, least: ReadonlyArray<Role>) {
  if (least.length === 0) return
  const role = yield* roleOf(draft, user_id)
  const beyond = least.find((each) => !isAtLeast(role, each))
  if (beyond !== undefined) return yield* insufficient(beyond)
})

/**
 * Locks the user's row until the commit. Writes that count or end a user's records in all workspaces run one after the
 * other by this. Call it before the reads that it protects.
 */
export const holdUser = (draft: LockedDraft, user_id: string) =>
  Effect.asVoid(draft.runSql("SELECT id FROM users WHERE id = $1 FOR NO KEY UPDATE", [user_id]))

/** Refuses another workspace to a user who owns the maximum number; 0 is no limit. */
export const mayOwnAnother = Effect.fnUntraced(function* (draft: LockedDraft, user_id: string, limit: number) {
  if (limit === 0) return
  yield* holdUser(draft, user_id)
  const [row] = yield* draft.runSql<{ readonly used: number }>(
    `SELECT count(*)::int AS used FROM members m
    JOIN workspaces w ON w.workspace_id = m.workspace_id AND w.deleted_at IS NULL
    WHERE user_id = $1 AND role = 'owner'`,
    [user_id]
  )
  const { used } = row!
  if (used < limit) return
  return yield* exceeded("workspaces", `A user owns at most ${limit} workspaces`, limit, used)
})
