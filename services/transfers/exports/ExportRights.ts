import { isAtLeast, type PrincipalShape } from "../../Principal.ts"

/** Only admins and owners may see exports of a whole workspace (contract, section 7). */
export const maySeeWorkspaceExports = ({ role }: Pick<PrincipalShape, "role">): boolean => isAtLeast(role, "admin")
