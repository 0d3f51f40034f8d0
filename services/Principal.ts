import { Context } from "effect"

/** Who calls, with what, and what that allows. Made by the authorization of a request, read from the context. */
export interface PrincipalShape {
  readonly user_id: string
  readonly workspace_id: string
  /** The API key or session: limits, streams and mutation ids without a device are counted by it. */
  readonly credential_id: string
  readonly scopes: ReadonlySet<string>
  readonly role: Role
  /** The device named by the header `Device-Id`, or by the session. */
  readonly device_id: string | null
  readonly ip: string | null
}

export type Role = "owner" | "admin" | "editor" | "viewer"

export class Principal extends Context.Service<Principal, PrincipalShape>()("sheaf/Principal") {}
