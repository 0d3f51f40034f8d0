import type { Scope } from "../identity/Scopes.ts"
import { isAtLeast, type PrincipalShape } from "../Principal.ts"

interface Reading {
  /** One of them is needed. */
  readonly scopes: ReadonlyArray<Scope>
  /** Where editors and viewers may not read the resource itself (contract 4). */
  readonly isAdmins?: true
}

/** What reading the events of each resource needs: the same as reading the resource (contract 4). */
const readings: Readonly<Record<string, Reading>> = {
  note: { scopes: ["notes:read"] },
  notebook: { scopes: ["notes:read"] },
  tag: { scopes: ["notes:read"] },
  template: { scopes: ["notes:read"] },
  comment: { scopes: ["notes:read"] },
  reminder: { scopes: ["notes:read"] },
  share: { scopes: ["notes:read"] },
  attachment: { scopes: ["files:read", "notes:read"] },
  device: { scopes: ["notes:read"] },
  import: { scopes: ["notes:read"] },
  export: { scopes: ["export:read"] },
  workspace: { scopes: ["profile", "members:read"] },
  member: { scopes: ["members:read"] },
  invitation: { scopes: ["members:read"], isAdmins: true },
  webhook: { scopes: ["webhooks:read"], isAdmins: true },
  api_key: { scopes: ["keys:read"], isAdmins: true },
  session: { scopes: ["profile"], isAdmins: true }
}

/** One of these scopes is needed to read the events of a resource. */
export const scopesFor = (resource: string): ReadonlyArray<Scope> => readings[resource]?.scopes ?? []

/** The resource types whose events the caller may read. One that is not known here is nobody's to read. */
export const readableBy = ({ role, scopes }: Pick<PrincipalShape, "role" | "scopes">): ReadonlyArray<string> => {
  const isAdmin = isAtLeast(role, "admin")
  return Object.entries(readings)
    .filter(([, reading]) => isAdmin || reading.isAdmins !== true)
    .filter(([, reading]) => reading.scopes.some((scope) => scopes.has(scope)))
    .map(([type]) => type)
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
