import { Context, Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Randomness, type RandomnessShape } from "../../../../services/Randomness.ts"
import { type SheafError, Unavailable } from "../../../../services/Errors.ts"
import type { ProblemCode } from "../../../../services/ProblemCodes.ts"
import { typeWeights } from "./Accept.ts"
import { html } from "./HtmlPage.ts"
import { problemCodes } from "../../api/ProblemExplanations.ts"
import { textsFor } from "../pages/languages/PageLanguages.ts"
import { pageHeaders, problemPage } from "./ProblemPage.ts"
import { stateOf } from "../server/RequestState.ts"

const visibleAscii = /^[\x21-\x7e]{1,128}$/

/** The id of a request, for its response, its problem and the log: from the client, or a new one. */
export const requestId = (randomness: RandomnessShape, request: HttpServerRequest.HttpServerRequest): string => {
  const state = stateOf(request.source)
  if (state.id === undefined) {
    const sent = request.headers["x-request-id"]
    state.id = sent !== undefined && visibleAscii.test(sent) ? sent : `req_${randomness.text(20)}`
  }
  return state.id
}

/** The URL of the explanations of problem types: `{base_url}/errors/`. */
export const ErrorsUrl = Context.Reference<string>("sheaf/http/responses/ErrorsUrl", {
  defaultValue: () => "/v2/errors/"
})

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

interface ProblemOptions {
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

const isOfApi = (path: string): boolean => path === "/v2" || path.startsWith("/v2/")

/**
 * Whether a browser shows the response, so that a problem becomes a page. In the API this is the case only for GET without
 * a credential: programs send a credential or a body, and some of them accept HTML without preferring it.
 */
export const takesPage = ({ headers, method, url }: HttpServerRequest.HttpServerRequest): boolean => {
  const { accept, authorization } = headers
  if (accept === undefined) return false
  if (isOfApi(url.split("?", 1)[0]!) && (authorization !== undefined || (method !== "GET" && method !== "HEAD"))) {
    return false
  }
  const weight = typeWeights(accept)
  return weight("text/html") > Math.max(weight("application/problem+json"), weight("application/json"))
}

/** A response of type `application/problem+json` (RFC 9457, contract 2), or a page with the same content for a browser. */
export const problem = Effect.fnUntraced(function* (options: ProblemOptions) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const errors = yield* ErrorsUrl
  const path = request.url.split("?", 1)[0]!
  const { code, detail, status } = options
  const request_id = requestId(yield* Randomness, request)
  stateOf(request.source).problemCode = code
  const headers = { vary: "Accept", ...options.headers }
  if (takesPage(request)) {
    const page = problemPage({
      code,
      detail,
      request_id,
      isOfApi: isOfApi(path),
      errorsUrl: errors,
      texts: textsFor(request)
    })
    return html(page, status, { ...pageHeaders, ...headers })
  }
  return HttpServerResponse.text(JSON.stringify({ ...membersOf(errors, options), instance: path, request_id }), {
    status,
    contentType: "application/problem+json",
    headers
  })
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

/** The problem for an error inside another response. */
export const problemIn = (error: SheafError) => Effect.map(ErrorsUrl, (errors) => membersOf(errors, optionsOf(error)))

/** Status and headers of the response for an error of a service. */
export const headOf = (error: SheafError): { readonly status: number; readonly headers: Record<string, string> } => {
  const headers: Record<string, string> = {}
  if ("retry_after" in error && error.retry_after !== undefined) headers["retry-after"] = String(error.retry_after)
  if (error._tag === "Unauthorized") {
    // RFC 6750, section 3: no error code if the request has no credential.
    headers["www-authenticate"] =
      error.code === "authentication_required"
        ? `Bearer realm="sheaf"`
        : `Bearer realm="sheaf", error="invalid_token", error_description="${error.detail}"`
  }
  return { status: statuses[error._tag], headers }
}

/** The response for an error of a service. */
export const problemOf = (error: SheafError) => {
  const response = problem({ ...optionsOf(error), headers: headOf(error).headers })
  return error === Unavailable.database ? Effect.andThen(markOutage, response) : response
}

const markOutage = Effect.map(HttpServerRequest.HttpServerRequest, ({ source }) => {
  stateOf(source).isOutage = true
})
