import { Context, Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { SheafError } from "../../services/Errors.ts"
import * as Ids from "../../services/Ids.ts"
import type { ProblemCode } from "../../services/ProblemCodes.ts"
import { problemCodes } from "./ProblemCodes.ts"
import { stateOf } from "./RequestState.ts"

const visibleAscii = /^[\x21-\x7e]{1,128}$/

/** The id that stands on the answer, in its problem and in the log: the client's own, or a new one. */
export const requestId = (request: HttpServerRequest.HttpServerRequest): string => {
  const state = stateOf(request.source)
  if (state.id === undefined) {
    const sent = request.headers["x-request-id"]
    state.id = sent !== undefined && visibleAscii.test(sent) ? sent : `req_${Ids.random(20)}`
  }
  return state.id
}

/** Where problem types are explained: `{base_url}/errors/`. */
export const ErrorsUrl = Context.Reference<string>("sheaf/http/ErrorsUrl", { defaultValue: () => "/v2/errors/" })

const statuses: Readonly<Record<SheafError["_tag"], number>> = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  Conflict: 409,
  Expired: 410,
  Stale: 412,
  TooLarge: 413,
  Invalid: 422,
  RateLimited: 429,
  Unavailable: 503
}

export interface ProblemOptions {
  readonly status: number
  readonly code: ProblemCode
  readonly detail: string
  readonly members?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

/** The members of a problem (RFC 9457). */
const membersOf = (errorsUrl: string, options: ProblemOptions) => ({
  type: errorsUrl + options.code,
  title: problemCodes[options.code].title,
  status: options.status,
  detail: options.detail,
  code: options.code,
  ...options.members
})

/** An answer of type `application/problem+json` (RFC 9457, contract 2). */
export const problem = Effect.fnUntraced(function* (options: ProblemOptions) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const errors = yield* ErrorsUrl
  const path = request.url.split("?", 1)[0]!
  stateOf(request.source).problemCode = options.code
  return HttpServerResponse.text(
    JSON.stringify({ ...membersOf(errors, options), instance: path, request_id: requestId(request) }),
    { status: options.status, contentType: "application/problem+json", headers: options.headers }
  )
})

const optionsOf = (error: SheafError): ProblemOptions => ({
  status: statuses[error._tag],
  code: error.code,
  detail: error.detail,
  members: {
    ...error.extra,
    ...(error._tag === "Invalid" && error.errors !== undefined ? { errors: error.errors } : {})
  }
})

/** A failure as a problem inside another answer. */
export const problemIn = (error: SheafError) => Effect.map(ErrorsUrl, (errors) => membersOf(errors, optionsOf(error)))

/** The problem that a failure of a service is. */
export const problemOf = (error: SheafError) => {
  const headers: Record<string, string> = {}
  if ("retry_after" in error && error.retry_after !== undefined) headers["retry-after"] = String(error.retry_after)
  if (error._tag === "Unauthorized") {
    // RFC 6750, section 3: no error code when the request carried no credential at all.
    headers["www-authenticate"] =
      error.code === "authentication_required"
        ? `Bearer realm="sheaf"`
        : `Bearer realm="sheaf", error="invalid_token", error_description="${error.detail}"`
  }
  return problem({ ...optionsOf(error), headers })
}
