import type { Schemas } from "../../client/SheafClient.ts"

export type Role = Schemas["Member"]["role"]

/** All roles, the lowest first. Each may do what those before it may. */
export const roles: ReadonlyArray<Role> = ["viewer", "editor", "admin", "owner"]

export const isAtLeast = (role: Role, least: Role): boolean => roles.indexOf(role) >= roles.indexOf(least)
