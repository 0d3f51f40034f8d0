import { Context, Effect, Layer } from "effect"
import { RateCounters } from "./RateCounters.ts"
import type { Counted } from "./Windows.ts"

/** The state of one policy after a request (draft-ietf-httpapi-ratelimit-headers-11). */
export interface Quota {
  /** `q`: requests per window. */
  readonly limit: number
  /** `r`: remaining requests. */
  readonly remaining: number
  /** `t`: whole seconds until the window ends. */
  readonly reset: number
  /** Whether this request exceeds the limit. */
  readonly isExceeded: boolean
}

/** The state of a credential's own limit, and of the limit that all credentials of its workspace share. */
export interface Standing {
  readonly credential: Quota
  readonly workspace: Quota
}

/** Seconds of the window in which requests are counted. It begins with the first request. */
export const windowSeconds = 60

/** The limit of a workspace, as a multiple of the limit of one credential (contract 4, Plans). */
const perWorkspace = 5

const quota = (limit: number, { count, left }: Counted): Quota => ({
  limit,
  remaining: Math.max(0, limit - count),
  reset: Math.ceil(left / 1000),
  isExceeded: count > limit
})

/** Limits the requests of a credential and of a workspace (contract 2, Rate limits). */
export class Limits extends Context.Service<
  Limits,
  {
    /** Counts a request against the limit of its plan, or of the operator. Undefined when there is no limit. */
    readonly take: (
      credential_id: string,
      workspace_id: string,
      planLimit: number
    ) => Effect.Effect<Standing | undefined>
    /** The limit that applies for the limit of a plan; 0 is none. */
    readonly inForce: (planLimit: number) => number
  }
>()("sheaf/limits/Limits") {
  /** `perMinute` overrides the limits of the plans; 0 is none. */
  static readonly layer = (options: { readonly perMinute: number | undefined }) =>
    Layer.effect(
      Limits,
      Effect.map(RateCounters, (counters) => {
        const requests = counters.counter("request", windowSeconds * 1000)
        const inForce = (planLimit: number) => options.perMinute ?? planLimit
        return Limits.of({
          inForce,
          take: (credential_id, workspace_id, planLimit) => {
            const limit = inForce(planLimit)
            if (limit === 0) return Effect.undefined
            return Effect.map(requests.addBoth(credential_id, limit, workspace_id), ([own, all]) => ({
              credential: quota(limit, own),
              workspace: quota(limit * perWorkspace, all)
            }))
          }
        })
      })
    )
}
