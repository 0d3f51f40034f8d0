import { Context, Effect, Layer } from "effect"
import { RateCounters } from "./RateCounters.ts"
import type { Counted } from "./Windows.ts"

/** How one policy stands after a request (draft-ietf-httpapi-ratelimit-headers-11). */
export interface Quota {
  /** `q`: requests in a window. */
  readonly limit: number
  /** `r`: how many are left of them. */
  readonly remaining: number
  /** `t`: whole seconds until there are all of them again. */
  readonly reset: number
  /** This request is one too many. */
  readonly isExceeded: boolean
}

/** How a credential stands with its own limit, and with that of all credentials of its workspace together. */
export interface Standing {
  readonly credential: Quota
  readonly workspace: Quota
}

/** Seconds of the window that requests are counted in: it begins with the first of them. */
export const windowSeconds = 60

/** So many times what one credential may do, all of a workspace may do together (contract 4, Plans). */
const perWorkspace = 5

const quota = (limit: number, { count, left }: Counted): Quota => ({
  limit,
  remaining: Math.max(0, limit - count),
  reset: Math.ceil(left / 1000),
  isExceeded: count > limit
})

/** How many requests a credential and a workspace may make (contract 2, Rate limits). */
export class Limits extends Context.Service<
  Limits,
  {
    /** Counts a request against the limits of its plan, or of the operator; without a limit there is no standing. */
    readonly take: (
      credential_id: string,
      workspace_id: string,
      planLimit: number
    ) => Effect.Effect<Standing | undefined>
    /** The limit that is heeded, where a plan has this one; 0 is none. */
    readonly inForce: (planLimit: number) => number
  }
>()("sheaf/limits/Limits") {
  /** `perMinute` stands above the limits of the plans; 0 is none. */
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
