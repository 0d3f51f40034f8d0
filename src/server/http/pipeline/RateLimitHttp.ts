import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { RateLimited } from "../../../../services/Errors.ts"
import { type Limits, type Quota, windowSeconds } from "../../../../services/limits/Limits.ts"
import { stateOf } from "../server/RequestState.ts"

type Request = HttpServerRequest.HttpServerRequest

const refusal = ({ limit, reset }: Quota, by: string) =>
  Effect.fail(
    new RateLimited({
      code: "rate_limited",
      detail: `At most ${limit} requests a minute can be sent with ${by}`,
      retry_after: reset
    })
  )

/**
 * Counts an authenticated request against the limits of its credential and of its workspace, and refuses it when one of
 * them is exceeded. The quotas are stored in the state of the request, for the headers of its response.
 */
export const take = (
  limits: Limits["Service"],
  request: Request,
  credential_id: string,
  workspace_id: string,
  planLimit: number
): Effect.Effect<void, RateLimited> =>
  Effect.flatMap(limits.take(credential_id, workspace_id, planLimit), (standing) => {
    if (standing === undefined) return Effect.void
    stateOf(request.source).standing = standing
    const { credential, workspace } = standing
    if (credential.isExceeded) return refusal(credential, "this credential")
    if (workspace.isExceeded) return refusal(workspace, "all credentials of this workspace together")
    return Effect.void
  })

/**
 * The rate limit headers of an authenticated response (contract 2): those of draft-ietf-httpapi-ratelimit-headers-11, and
 * those of versions up to 07, which have one limit: the one with fewer remaining requests. Undefined without limits.
 */
export const headersOf = (request: Request): Readonly<Record<string, string>> | undefined => {
  const { standing } = stateOf(request.source)
  if (standing === undefined) return undefined
  const { credential, workspace } = standing
  const { limit, remaining, reset } = workspace.remaining < credential.remaining ? workspace : credential
  return {
    "ratelimit-policy": `"default";q=${credential.limit};w=${windowSeconds}, "workspace";q=${workspace.limit};w=${windowSeconds}`,
    ratelimit: `"default";r=${credential.remaining};t=${credential.reset}, "workspace";r=${workspace.remaining};t=${workspace.reset}`,
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": String(remaining),
    "ratelimit-reset": String(reset)
  }
}
