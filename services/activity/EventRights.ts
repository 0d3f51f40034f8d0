import type { Scope } from "../identity/Scopes.ts"
import { isAtLeast, type PrincipalShape } from "../Principal.ts"
import { resources, resourceTypes, type ResourceType, rows } from "../Resources.ts"

/** One of these scopes is needed to read the events of a resource. */
export const scopesFor = (resource: string): ReadonlyArray<Scope> =>
  Object.hasOwn(resources, resource) ? resources[resource as ResourceType].reads : []

/** The resource types whose events the caller may read. One that is not known here is nobody's to read. */
export const readableBy = ({ role, scopes }: Pick<PrincipalShape, "role" | "scopes">): ReadonlyArray<string> => {
  const isAdmin = isAtLeast(role, "admin")
  return resourceTypes
    .filter((type) => isAdmin || rows[type].isAdmins !== true)
    .filter((type) => scopesFor(type).some((scope) => scopes.has(scope)))
}

/** SQL: whether the caller may read an event. What is exported of a whole workspace is for admins (contract 7). */
export const readableText = (types: string, isAdmin: string): string =>
  `resource_type = ANY(${types}::text[])
    AND (${isAdmin}::boolean OR resource_type <> 'export' OR data->>'scope' = 'notebook')`

/** What stands for the two of them. */
export const readableParams = (principal: PrincipalShape): readonly [ReadonlyArray<string>, boolean] => [
  readableBy(principal),
  isAtLeast(principal.role, "admin")
]
