import { Effect } from "effect"
import type { HttpRouter, HttpServerRequest } from "effect/http"
import { requestId } from "../responses/Problem.ts"
import { stateOf } from "../server/RequestState.ts"
import { patternOf } from "./HttpMetrics.ts"

/**
 * The line of a request in the log. It names the route's pattern, never the address: paths and queries can hold what
 * people wrote, and links that are secrets.
 */
export const line = (
  request: HttpServerRequest.HttpServerRequest,
  route: HttpRouter.Route<any, any> | undefined,
  status: number,
  millis: number,
  ip: string | null
): Effect.Effect<void> => {
  const code = stateOf(request.source).problemCode
  return Effect.annotateLogs(status >= 500 ? Effect.logWarning("request") : Effect.logDebug("request"), {
    request_id: requestId(request),
    ip,
    method: request.method,
    route: patternOf(route),
    status,
    ...(code === undefined ? {} : { code }),
    ms: Math.round(millis * 10) / 10
  })
}

/** The line for requests that failed like others, and were passed over. */
export const more = (status: number, code: string, count: number): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logWarning("further requests"), { status, code, count })
