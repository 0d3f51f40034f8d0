import { isAtLeast, type Role } from "../Principal.ts"

/** Who may do what with an invitation (contract 4): the roles that they must have, all of them. */

/** Up to the caller's own role. Who may invite for a role may send such an invitation again and withdraw it. */
export const toInvite = (role: Role): ReadonlyArray<Role> => ["admin", role]

/** Whether who has invited could still do so: who has lost a right leaves no way back to it behind. */
export const mayInvite = (inviter: Role | null, role: Role): boolean =>
  inviter !== null && toInvite(role).every((least) => isAtLeast(inviter, least))
