import { Effect } from "effect"
import type { HttpRouter, HttpServerRequest } from "effect/http"
import { stateOf } from "../server/RequestState.ts"
import { patternOf } from "./HttpMetrics.ts"

/**
 * Logs a request. The line has the pattern of the route, never the URL: paths and queries can contain text of users and
 * secret links.
 */
export const line = (
  request: HttpServerRequest.HttpServerRequest,
  request_id: string,
  route: HttpRouter.Route<any, any> | undefined,
  status: number,
  millis: number,
  ip: string | null
): Effect.Effect<void> => {
  const { problemCode: code, tool } = stateOf(request.source)
  return Effect.annotateLogs(status >= 500 ? Effect.logWarning("request") : Effect.logDebug("request"), {
    request_id,
    ip,
    method: request.method,
    route: patternOf(route),
    ...(tool === undefined ? {} : { tool }),
    status,
    ...(code === undefined ? {} : { code }),
    ms: Math.round(millis * 10) / 10
  })
}

/** Logs the number of failed requests whose own lines were omitted. */
export const more = (status: number, code: string, count: number): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logWarning("further requests"), { status, code, count })
