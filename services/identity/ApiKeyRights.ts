import { isAtLeast, type PrincipalShape } from "../Principal.ts"
import { effective } from "./Scopes.ts"

/** Rights to API keys (contract 4). */

type Caller = Pick<PrincipalShape, "role" | "scopes" | "user_id">
interface Owned {
  readonly user_id: string
}

/** Owners and admins see all keys of the workspace; other members see their own. */
export const seesAll = ({ role }: Pick<Caller, "role">): boolean => isAtLeast(role, "admin")

/** Users who see a key may also delete it. */
export const sees = (caller: Caller, key: Owned): boolean => seesAll(caller) || isMaker(caller, key)

/** Only the creator of an API key can rotate it. */
export const isMaker = ({ user_id }: Pick<Caller, "user_id">, key: Owned): boolean => key.user_id === user_id

/** Returns the requested scopes that the caller does not have and so cannot grant. */
export const beyond = ({ scopes }: Pick<Caller, "scopes">, asked: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...effective(asked)].filter((scope) => !scopes.has(scope))
