import { Conflict } from "../Errors.ts"
import type { PrincipalShape, Role } from "../Principal.ts"
import type { Member } from "./Member.ts"

/** Rights to members (contract 4): the caller must be at least each of the returned roles. */

/** For members up to the caller's own role, to a role up to the caller's own. */
export const toChange = ({ role }: Pick<Member, "role">, to: Role): ReadonlyArray<Role> => ["admin", role, to]

/** For members up to the caller's own role. Every member may leave. */
export const toRemove = (
  { user_id }: Pick<PrincipalShape, "user_id">,
  member: Pick<Member, "role" | "user_id">
): ReadonlyArray<Role> => (member.user_id === user_id ? [] : ["admin", member.role])

export const lastOwner = new Conflict({
  code: "last_owner",
  detail: "A workspace cannot be left without an owner"
})

const isHome = new Conflict({
  code: "invalid_state",
  detail: "The owner of a personal workspace cannot be changed"
})

/** Why a workspace cannot lose an owner: they are the last one, or the user of a personal workspace. */
export const heldBy = (workspace: { readonly owners: number; readonly is_home: boolean }): Conflict | undefined =>
  workspace.owners === 1 ? lastOwner : workspace.is_home ? isHome : undefined
