import { isAtLeast, type PrincipalShape } from "../Principal.ts"
import { effective } from "./Scopes.ts"

/** Who may do what with an API key (contract 4). */

type Caller = Pick<PrincipalShape, "role" | "scopes" | "user_id">
interface Owned {
  readonly user_id: string
}

/** Owners and admins see all keys of the workspace, others their own. */
export const seesAll = ({ role }: Pick<Caller, "role">): boolean => isAtLeast(role, "admin")

/** Who sees a key may end it too. */
export const sees = (caller: Caller, key: Owned): boolean => seesAll(caller) || isMaker(caller, key)

/** Only the creator of an API key can rotate it. */
export const isMaker = ({ user_id }: Pick<Caller, "user_id">, key: Owned): boolean => key.user_id === user_id

/** The scopes of a key that the caller has not, and so cannot grant. */
export const beyond = ({ scopes }: Pick<Caller, "scopes">, asked: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...effective(asked)].filter((scope) => !scopes.has(scope))
