import { Context } from "effect"
import type { UserId, WorkspaceId } from "./Ids.ts"
import type { Reach } from "./Reach.ts"

/** The caller of a request, its credential and its rights. The authorization of the request puts it in the context. */
export interface PrincipalShape {
  readonly user_id: UserId
  /** The workspace that the call acts on. */
  readonly workspace_id: WorkspaceId
  /** The personal workspace of the user. Sessions of the user and apps that they connected are stored there. */
  readonly home_id: WorkspaceId
  readonly kind: "session" | "api_key" | "app"
  /** The API key, or the session of the user or the app. Rate limits, streams and mutation ids without a device are counted per credential. */
  readonly credential_id: string
  /** SHA-256 of the token that was sent. */
  readonly digest: string
  readonly scopes: ReadonlySet<string>
  /** In the workspace that the call acts on. */
  readonly role: Role
  /** The notebooks of that workspace that the credential reaches; undefined if it reaches everything. */
  readonly reach?: Reach | undefined
  /** Whether the client has selected these notebooks for a request, and the credential reaches everything. */
  readonly selects?: true
  readonly plan: Plan
  /** When the token that was sent expires, in milliseconds since 1970; Infinity if it never expires. */
  readonly expires_at: number
  /** The device of the session, or the device that an API key or app sends in `Device-Id`, unless it is another user's. */
  readonly device_id: string | null
  /** Whether the header `Device-Id` names another user's device. */
  readonly names_foreign_device: boolean
  readonly ip: string | null
  readonly user_agent: string | null
  /** The name of the connected app. */
  readonly app?: string | undefined
  /** The MCP tool that the request calls. The audit log names it with each change. */
  readonly tool?: string
  /** The change set of the request: that of its header `Change-Set`, or of its MCP calls. */
  readonly change_set?: { readonly id: string; readonly origin: "header" | "mcp" | "links" } | undefined
}

export const roles = ["owner", "admin", "editor", "viewer"] as const
export type Role = (typeof roles)[number]

const rank: Readonly<Record<Role, number>> = { viewer: 0, editor: 1, admin: 2, owner: 3 }

export const isAtLeast = (role: Role, least: Role): boolean => rank[role] >= rank[least]

export const plans = ["free", "plus", "team"] as const
export type Plan = (typeof plans)[number]

export class Principal extends Context.Service<Principal, PrincipalShape>()("sheaf/Principal") {}
