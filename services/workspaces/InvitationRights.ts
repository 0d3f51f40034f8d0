import { isAtLeast, type Role } from "../Principal.ts"

/** Rights to invitations (contract 4): the caller must be at least each of the returned roles. */

/** For roles up to the caller's own. The same right is needed to send an invitation again and to delete it. */
export const toInvite = (role: Role): ReadonlyArray<Role> => ["admin", role]

/** Whether the inviter still has the right to invite: an invitation must not give back a right that they lost. */
export const mayInvite = (inviter: Role | null, role: Role): boolean =>
  inviter !== null && toInvite(role).every((least) => isAtLeast(inviter, least))
