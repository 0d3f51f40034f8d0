import { Context } from "effect"
import type { Plan } from "../Principal.ts"
import { type ResourceQuota, resourceQuotas } from "../Resources.ts"

/** The limits of a plan; 0 is no limit (contract 4, Plans). */
export interface PlanLimits extends Readonly<Record<ResourceQuota, number>> {
  readonly requests_per_minute: number
  readonly notes: number
  readonly storage_bytes: number
  readonly attachment_bytes: number
  /** Days for which audit entries are kept. */
  readonly audit_days: number
  /** API keys per user that have not expired, in all workspaces. */
  readonly api_keys: number
  /** Devices per user and workspace. */
  readonly devices: number
  /** Pending invitations per workspace. */
  readonly invitations: number
  /** Invitations in all workspaces per user, and also per network where the server sends mail. */
  readonly invitations_per_hour: number
  readonly invitations_per_day: number
}

const mebibyte = 1024 * 1024
const gibibyte = 1024 * mebibyte

/** The same for all plans, unless the operator sets other values. */
const forAll = {
  api_keys: 100,
  devices: 100,
  ...resourceQuotas,
  invitations: 100,
  invitations_per_hour: 20,
  invitations_per_day: 100
}

export const planDefaults: Readonly<Record<Plan, PlanLimits>> = {
  free: {
    requests_per_minute: 1000,
    notes: 10_000,
    storage_bytes: gibibyte,
    attachment_bytes: 25 * mebibyte,
    audit_days: 30,
    ...forAll
  },
  plus: {
    requests_per_minute: 3000,
    notes: 100_000,
    storage_bytes: 20 * gibibyte,
    attachment_bytes: 200 * mebibyte,
    audit_days: 400,
    ...forAll
  },
  team: {
    requests_per_minute: 6000,
    notes: 0,
    storage_bytes: 100 * gibibyte,
    attachment_bytes: 500 * mebibyte,
    audit_days: 400,
    ...forAll
  }
}

/** The operator's settings of this installation (contract 1). */
export interface Policies {
  readonly limits: Readonly<Record<Plan, PlanLimits>>
  /** Whether any person may register, or only invited ones. */
  readonly signUp: "open" | "invite"
  /** The role that may set plan and seats. */
  readonly planChanges: "owner" | "operator"
  /** Maximum number of workspaces that a user owns; 0 is no limit. */
  readonly ownedWorkspaces: number
}

/** The defaults of settings that are not in the environment. */
export const policyDefaults: Policies = {
  limits: planDefaults,
  signUp: "invite",
  planChanges: "owner",
  ownedWorkspaces: 0
}

export class Plans extends Context.Service<Plans, Policies>()("sheaf/workspaces/Plans") {}
