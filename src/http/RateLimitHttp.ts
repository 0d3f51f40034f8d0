import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { RateLimited } from "../../services/Errors.ts"
import { type Limits, type Standing, windowSeconds } from "../../services/limits/Limits.ts"

type Request = HttpServerRequest.HttpServerRequest

const standingKey = Symbol("sheaf/http/standing")

/**
 * Counts an authenticated request against the limit of its credential, and refuses it when that is one too many. How
 * the credential stands is kept on the request, for whatever its answer will be.
 */
export const take = (
  limits: Limits["Service"],
  request: Request,
  credential_id: string,
  planLimit: number
): Effect.Effect<void, RateLimited> =>
  Effect.flatMap(limits.take(credential_id, planLimit), (standing) => {
    if (standing === undefined) return Effect.void
    ;(request.source as { [standingKey]?: Standing })[standingKey] = standing
    if (!standing.isExceeded) return Effect.void
    return Effect.fail(
      new RateLimited({
        code: "rate_limited",
        detail: `At most ${standing.limit} requests a minute can be sent with this credential`,
        retry_after: standing.reset
      })
    )
  })

/**
 * The headers of an authenticated answer (contract 2): those of draft-ietf-httpapi-ratelimit-headers-11, and of its
 * versions up to 07. Undefined where nothing is limited.
 */
export const headersOf = (request: Request): Readonly<Record<string, string>> | undefined => {
  const standing = (request.source as { [standingKey]?: Standing })[standingKey]
  if (standing === undefined) return undefined
  const { limit, remaining, reset } = standing
  return {
    "ratelimit-policy": `"default";q=${limit};w=${windowSeconds}`,
    ratelimit: `"default";r=${remaining};t=${reset}`,
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": String(remaining),
    "ratelimit-reset": String(reset)
  }
}
