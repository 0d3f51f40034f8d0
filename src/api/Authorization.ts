import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import * as Errors from "../../services/Errors.ts"
import type { Scope } from "../../services/identity/Scopes.ts"
import { Principal, type Role } from "../../services/Principal.ts"

/** What an operation asks of its caller: one of the scopes, and at least the role (contract 4). */
export interface AccessRule {
  readonly scopes: ReadonlyArray<Scope>
  readonly role: Role
}

export class Access extends Context.Service<Access, AccessRule>()("sheaf/api/Access") {}

/** The parameter of the path that names the workspace of the call; without one, it is the credential's own. */
export const WorkspaceParam = Context.Reference<string | undefined>("sheaf/api/WorkspaceParam", {
  defaultValue: () => undefined
})

/** For people who have signed in, not for API keys. */
export const SignedIn = Context.Reference<boolean>("sheaf/api/SignedIn", { defaultValue: () => false })

/** A read of what these scopes cover, open to every member. */
export const reads = (...scopes: ReadonlyArray<Scope>): AccessRule => ({ scopes, role: "viewer" })

/** A change, open to editors and above. */
export const writes = (...scopes: ReadonlyArray<Scope>): AccessRule => ({ scopes, role: "editor" })

/** Finds out who calls, and refuses who may not (contract 4). */
export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: Principal }>()(
  "sheaf/api/Authorization",
  { security: { bearer: HttpApiSecurity.bearer }, error: Errors.all }
) {}

/** Turns every failure of an endpoint into its problem answer (contract 2). */
export class Problems extends HttpApiMiddleware.Service<Problems>()("sheaf/api/Problems", { error: Errors.all }) {}
