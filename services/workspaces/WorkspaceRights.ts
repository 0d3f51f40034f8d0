import type { Role } from "../Principal.ts"
import type { WorkspaceRow } from "./WorkspaceTables.ts"

/** Who may do what with a workspace (contract 4): the roles that the caller must have, all of them. */

type Settings = Pick<WorkspaceRow, "plan" | "seats" | "slug">

/** Whether a change is of what is paid for. */
export const isSold = (before: Settings, after: Settings): boolean =>
  after.plan !== before.plan || after.seats !== before.seats

/** Admins change its name; its address and what is paid for, owners. */
export const toChange = (before: Settings, after: Settings): ReadonlyArray<Role> =>
  isSold(before, after) || after.slug !== before.slug ? ["admin", "owner"] : ["admin"]

export const toDelete: ReadonlyArray<Role> = ["owner"]
