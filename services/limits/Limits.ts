import { Context, Effect, Layer } from "effect"
import { Counters } from "./Counters.ts"

/** How a credential stands with its limit after a request (draft-ietf-httpapi-ratelimit-headers-11). */
export interface Standing {
  /** `q`: requests in a window. */
  readonly limit: number
  /** `r`: how many are left of them. */
  readonly remaining: number
  /** `t`: whole seconds until there are all of them again. */
  readonly reset: number
  /** This request is one too many. */
  readonly isExceeded: boolean
}

/** Seconds of the window that requests are counted in: it begins with the first of them. */
export const windowSeconds = 60

/** How many requests a credential may make (contract 2, Rate limits). */
export class Limits extends Context.Service<Limits, {
  /** Counts a request against the limit of its plan, or of the operator; without a limit there is no standing. */
  readonly take: (credential_id: string, planLimit: number) => Effect.Effect<Standing | undefined>
  /** The limit that is heeded, where a plan has this one; 0 is none. */
  readonly inForce: (planLimit: number) => number
}>()("sheaf/limits/Limits") {
  /** `perMinute` stands above the limits of the plans; 0 is none. */
  static readonly layer = (options: { readonly perMinute: number | undefined }) =>
    Layer.effect(
      Limits,
      Effect.map(Counters, (counters) => {
        const requests = counters.counter("request", windowSeconds * 1000)
        const inForce = (planLimit: number) => options.perMinute ?? planLimit
        return Limits.of({
          inForce,
          take: (credential_id, planLimit) => {
            const limit = inForce(planLimit)
            return limit === 0 ? Effect.undefined : Effect.map(requests.add(credential_id), ({ count, left }) => ({
              limit,
              remaining: Math.max(0, limit - count),
              reset: Math.ceil(left / 1000),
              isExceeded: count > limit
            }))
          }
        })
      })
    )
}
