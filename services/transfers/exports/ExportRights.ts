import { isAtLeast, type PrincipalShape } from "../../Principal.ts"

/** An export of all that a workspace has is for admins and owners; others see no such one (contract 7). */
export const maySeeWorkspaceExports = ({ role }: Pick<PrincipalShape, "role">): boolean => isAtLeast(role, "admin")
