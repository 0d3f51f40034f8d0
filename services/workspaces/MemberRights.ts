import { Conflict } from "../Errors.ts"
import type { PrincipalShape, Role } from "../Principal.ts"
import type { Member } from "./Member.ts"

/** Who may do what with a member (contract 4): the roles that the caller must have, all of them. */

/** Up to the caller's own role, of members up to it. */
export const toChange = ({ role }: Pick<Member, "role">, to: Role): ReadonlyArray<Role> => ["admin", role, to]

/** Members up to the caller's own role; and everybody may leave. */
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
  detail: "The owner of a personal workspace stays its owner"
})

/** Why a workspace cannot lose an owner: its last one, or the person of a personal one. */
export const heldBy = (workspace: { readonly owners: number; readonly is_home: boolean }): Conflict | undefined =>
  workspace.owners === 1 ? lastOwner : workspace.is_home ? isHome : undefined
