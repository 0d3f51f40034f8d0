import * as ByteSize from "effect/ByteSize"
import { Cause, Effect } from "effect"
import { HttpIncomingMessage, HttpServerError, HttpServerRequest } from "effect/http"
import { SqlError } from "effect/sql"
import { unavailableOf } from "../../../../services/database/Database.ts"
import { Unavailable } from "../../../../services/Errors.ts"
import { Randomness } from "../../../../services/Randomness.ts"
import { problem, problemOf, requestId } from "../responses/Problem.ts"
import { maxPush } from "./BodyLimits.ts"
import { isAborted, stopped } from "./Interrupts.ts"
import type { Methods } from "./Methods.ts"

export const tooLarge = (limit: ByteSize.ByteSize) =>
  problem({
    status: 413,
    code: "payload_too_large",
    detail: "The body is too large",
    members: { limit_bytes: ByteSize.toNumberUnsafe(limit) },
    // The rest of the body is not read.
    headers: { connection: "close" }
  })

const methodNotAllowed = (allow: ReadonlyArray<string>) =>
  problem({
    status: 405,
    code: "method_not_allowed",
    detail: `The allowed methods are ${allow.join(", ")}`,
    headers: { allow: allow.join(", ") }
  })

export const routeNotFound = problem({ status: 404, code: "route_not_found", detail: "No such route" })

/** The response to failures that no endpoint has handled: unknown routes, bodies that cannot be read, and defects. */
export const failed = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>, methods: Methods["Service"]) {
  if (Cause.hasInterruptsOnly(cause)) {
    // A client that has disconnected gets no response.
    if (isAborted(cause)) return yield* Effect.failCause(cause as Cause.Cause<never>)
    return yield* problemOf(stopped)
  }
  const reason = cause.reasons[0]
  const error =
    reason === undefined
      ? undefined
      : Cause.isFailReason(reason)
        ? reason.error
        : Cause.isDieReason(reason)
          ? reason.defect
          : undefined
  const request = yield* HttpServerRequest.HttpServerRequest
  if (error instanceof Unavailable) return yield* problemOf(error)
  if (HttpServerError.isHttpServerError(error)) {
    if (error.reason._tag === "RouteNotFound") {
      const allow = methods.of(request.url)
      return yield* allow.length > 0 ? methodNotAllowed(allow) : routeNotFound
    }
    if (error.reason._tag === "RequestParseError") {
      return error.reason.reason === "BodyTooLarge"
        ? yield* tooLarge((yield* HttpIncomingMessage.MaxBodySize) ?? maxPush)
        : yield* problem({ status: 400, code: "malformed_json", detail: "The body could not be read" })
    }
  }
  const unavailable = SqlError.isSqlError(error) ? unavailableOf(error) : undefined
  if (unavailable !== undefined) return yield* problemOf(unavailable)
  yield* Effect.logError("a request failed", cause).pipe(
    Effect.annotateLogs({ request_id: requestId(yield* Randomness, request) })
  )
  return yield* problem({
    status: 500,
    code: "internal_error",
    detail: "The server has an error. Its log has the request id"
  })
})
