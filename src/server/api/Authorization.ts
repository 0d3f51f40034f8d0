import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import * as Errors from "../../../services/Errors.ts"
import type { EffectRule } from "../../../services/admin/OperatorEffect.ts"
import type { Scope } from "../../../services/identity/Scopes.ts"
import { Principal, type Role } from "../../../services/Principal.ts"

/** The rights that an operation requires of its caller: one of the scopes, and at least the role (contract 4). */
export interface AccessRule {
  readonly scopes: ReadonlyArray<Scope>
  readonly role: Role
  /** The effect of a change of the whole server (contract 11). A server does not start without it. */
  readonly effect?: EffectRule
  /** Whether it follows the reach of a limited credential (contract 4). All other operations are refused to these. */
  readonly isWithinReach?: true
  /** Whether it is about the account of the caller, and no workspace. */
  readonly isOfAccount?: true
}

export class Access extends Context.Service<Access, AccessRule>()("sheaf/api/Access") {}

/** The path parameter that names the workspace of the call; without one, it is the workspace of the credential. */
export const WorkspaceParam = Context.Reference<string | undefined>("sheaf/api/WorkspaceParam", {
  defaultValue: () => undefined
})

/** Whether the operation needs a session; API keys are refused. */
export const SignedIn = Context.Reference<boolean>("sheaf/api/SignedIn", { defaultValue: () => false })

/** A read with one of these scopes, open to every member. */
export const reads = (...scopes: ReadonlyArray<Scope>): AccessRule => ({ scopes, role: "viewer" })

/** An operation on the caller's own account, open to every member. */
export const ofAccount = (...scopes: ReadonlyArray<Scope>): AccessRule => ({
  scopes,
  role: "viewer",
  isOfAccount: true
})

/** A change with one of these scopes, open to editors and higher roles. */
export const writes = (...scopes: ReadonlyArray<Scope>): AccessRule => ({ scopes, role: "editor" })

/** The same rule, also for limited credentials: the operation follows what they reach. */
export const withinReach = (rule: AccessRule): AccessRule => ({ ...rule, isWithinReach: true })

/** A read and a change of the whole server, open to operators whatever their role in the workspace of the call. */
export const administers = {
  read: { scopes: ["admin:read"], role: "viewer" } as AccessRule,
  write: (effect: EffectRule): AccessRule => ({ scopes: ["admin:write"], role: "viewer", effect })
}

/** Identifies the caller, and refuses callers without the rights (contract 4). */
export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: Principal }>()(
  "sheaf/api/Authorization",
  { security: { bearer: HttpApiSecurity.bearer }, error: Errors.all }
) {}

/** Turns every failure of an endpoint into a problem (contract 2). */
export class Problems extends HttpApiMiddleware.Service<Problems>()("sheaf/api/Problems", { error: Errors.all }) {}
