import { Context } from "effect"
import type { Plan } from "../Principal.ts"
import { type ResourceQuota, resourceQuotas } from "../Resources.ts"

/** What a plan allows; 0 is without a limit (contract 4, Plans). */
export interface PlanLimits extends Readonly<Record<ResourceQuota, number>> {
  readonly requests_per_minute: number
  readonly notes: number
  readonly storage_bytes: number
  readonly attachment_bytes: number
  /** How long audit entries are kept. */
  readonly audit_days: number
  /** API keys of a user that have not ended, in all workspaces. */
  readonly api_keys: number
  /** Devices of a user, as each workspace knows them. */
  readonly devices: number
  /** Invitations in a workspace that can be accepted. */
  readonly invitations: number
  /** Invitations that a user sends, and where mail goes out all users of a network together, in all workspaces. */
  readonly invitations_per_hour: number
  readonly invitations_per_day: number
}

const mebibyte = 1024 * 1024
const gibibyte = 1024 * mebibyte

/** The same for all plans, unless the operator says otherwise. */
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

/** How the operator has set this installation up (contract 1). */
export interface Policies {
  readonly limits: Readonly<Record<Plan, PlanLimits>>
  /** Whether anyone may register, or invitees alone. */
  readonly signUp: "open" | "invite"
  /** Who may set plan and seats. */
  readonly planChanges: "owner" | "operator"
  /** So many workspaces a user may own; 0 is without a limit. */
  readonly ownedWorkspaces: number
}

/** What holds when the environment says nothing. */
export const policyDefaults: Policies = {
  limits: planDefaults,
  signUp: "invite",
  planChanges: "owner",
  ownedWorkspaces: 0
}

export class Plans extends Context.Service<Plans, Policies>()("sheaf/workspaces/Plans") {}
