import type { Scope } from "../identity/Scopes.ts"
import { isAtLeast, type PrincipalShape } from "../Principal.ts"
import { resources, resourceTypes, type ResourceType, rows } from "../Resources.ts"

/** Returns the scopes, one of which is required to read the events of a resource. */
export const scopesFor = (resource: string): ReadonlyArray<Scope> =>
  Object.hasOwn(resources, resource) ? resources[resource as ResourceType].reads : []

/** Returns the resource types whose events the caller may read. Unknown types are not readable. */
export const readableBy = ({ role, scopes }: Pick<PrincipalShape, "role" | "scopes">): ReadonlyArray<string> => {
  const isAdmin = isAtLeast(role, "admin")
  return resourceTypes
    .filter((type) => isAdmin || rows[type].isAdmins !== true)
    .filter((type) => scopesFor(type).some((scope) => scopes.has(scope)))
}

/** SQL condition that the caller may read an event. Exports of a whole workspace are for admins (contract 7). */
export const readableText = (types: string, isAdmin: string): string =>
  `resource_type = ANY(${types}::text[])
    AND (${isAdmin}::boolean OR resource_type <> 'export' OR data->>'scope' = 'notebook')`

/** Returns the two parameters of `readableText`. */
export const readableParams = (principal: PrincipalShape): readonly [ReadonlyArray<string>, boolean] => [
  readableBy(principal),
  isAtLeast(principal.role, "admin")
]
