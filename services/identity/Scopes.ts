/** The scopes of a workspace (contract 4). */
export const scopes = [
  "notes:read",
  "notes:write",
  "files:read",
  "files:write",
  "keys:read",
  "keys:write",
  "members:read",
  "members:write",
  "export:read",
  "export:write",
  "audit:read",
  "webhooks:read",
  "webhooks:write",
  "profile"
] as const

/** The scopes of the whole server. Only operators have them. */
export const adminScopes = ["admin:read", "admin:write"] as const
export type Scope = (typeof scopes)[number] | (typeof adminScopes)[number]

/** The scopes that an app may get: content, without the means to keep access or to take all data (contract 4). */
export const appScopes = [
  "notes:read",
  "notes:write",
  "files:read",
  "files:write"
] as const satisfies ReadonlyArray<Scope>

/** The scopes that have an effect for a credential that reaches some notebooks only (contract 4, Limited credentials). */
export const limitedScopes: ReadonlyArray<Scope> = [...appScopes, "export:read", "export:write"]

/** The scopes of a session. */
export const scopesOf = ({ is_operator }: { readonly is_operator: boolean }): ReadonlyArray<Scope> =>
  is_operator ? [...scopes, ...adminScopes] : scopes

/** The scope names that a key may have. `audit` is an alias of `audit:read`. */
export const grantable = [...scopes, ...adminScopes, "audit"] as const
export type Grantable = (typeof grantable)[number]

export const isGrantable = (name: string): name is Grantable => grantable.some((each) => each === name)

/** Returns the effective scopes: `x:write` implies `x:read`, and `audit` is an alias of `audit:read`. */
export const effective = (granted: Iterable<string>): ReadonlySet<string> => {
  const all = new Set<string>()
  for (const scope of granted) {
    all.add(scope === "audit" ? "audit:read" : scope)
    if (scope.endsWith(":write")) all.add(scope.replace(/:write$/, ":read"))
  }
  return all
}
