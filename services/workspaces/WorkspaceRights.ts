import type { Role } from "../Principal.ts"
import type { WorkspaceRow } from "./WorkspaceTables.ts"

/** Rights to workspaces (contract 4): the caller must be at least each of the returned roles. */

type Settings = Pick<WorkspaceRow, "plan" | "seats" | "slug">

/** Whether a change affects the price: plan or seats. */
export const isSold = (before: Settings, after: Settings): boolean =>
  after.plan !== before.plan || after.seats !== before.seats

/** Admins may change the name; only owners may change slug, plan and seats. */
export const toChange = (before: Settings, after: Settings): ReadonlyArray<Role> =>
  isSold(before, after) || after.slug !== before.slug ? ["admin", "owner"] : ["admin"]

export const toDelete: ReadonlyArray<Role> = ["owner"]
