import {
  type Cause,
  Clock,
  Context,
  Effect,
  type Fiber,
  Layer,
  type LogLevel,
  References,
  Scope,
  type Types
} from "effect"
import { HttpIncomingMessage, HttpMethod, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as ByteSize from "effect/ByteSize"
import { Randomness } from "../../../../services/Randomness.ts"
import { KeyRequests } from "../../../../services/activity/KeyRequests.ts"
import { RefusedCalls } from "../../../../services/activity/RefusedCalls.ts"
import { DatabaseOutage } from "../../../../services/database/DatabaseOutage.ts"
import { Admission } from "../server/Admission.ts"
import * as AccessLog from "./AccessLog.ts"
import { isOfApi, limitOf, pathOf } from "./BodyLimits.ts"
import { ClientAddress } from "../server/ClientAddress.ts"
import * as Compression from "../responses/Compression.ts"
import * as Cors from "./Cors.ts"
import { small } from "../server/LargeBodies.ts"
import { everyMethod, Methods } from "./Methods.ts"
import { isDry, preferenceApplied } from "./Prefer.ts"
import { problem, requestId } from "../responses/Problem.ts"
import * as RateLimit from "./RateLimitHttp.ts"
import { stateOf } from "../server/RequestState.ts"
import { PublicUrl } from "../responses/Respond.ts"
import { Sampling } from "./Sampling.ts"
import { isFile, isUpload } from "../server/Uploads.ts"
import { HttpMetrics, patternOf } from "./HttpMetrics.ts"
import { failed, routeNotFound, tooLarge } from "./UnhandledFailures.ts"

type Request = HttpServerRequest.HttpServerRequest
type AnyFiber = Fiber.Fiber<unknown, unknown>
type Response = HttpServerResponse.HttpServerResponse

/** Never sent: the connection is closed after the previous response. */
const notProcessed = HttpServerResponse.empty({ status: 503 })

const wrongHost = problem({ status: 400, code: "invalid_header", detail: "Send one Host header" })

/** A page, a call of a tool or an upload has no dry run. `RequestValidationHttp` refuses those of the API. */
const noDryRun = problem({ status: 400, code: "invalid_header", detail: "Only the API has dry runs: nothing was done" })

/** RFC 9112, section 3.2: every HTTP/1.1 request has one Host header. Node joins several with commas. */
const hasHost = ({ headers, source }: Request): boolean =>
  headers["host"] === undefined
    ? (source as { readonly httpVersion?: string }).httpVersion !== "1.1"
    : !headers["host"].includes(",")

const isSafe = ({ method }: Request): boolean => method === "GET" || method === "HEAD"

/** A needlessly percent-encoded character. A proxy in front may not treat it as equal to the plain one. */
const disguised = /%(?:2[DE]|3\d|[46][1-9A-F]|[57][0-9A]|5F|7E)/i

/** What scripts of other origins may request of OAuth: the pages, where a user decides, are not part of it. */
const isOfOAuth = ({ url }: Request): boolean =>
  /^\/(?:\.well-known\/oauth-|oauth\/(?:token|revoke|register)\b)/.test(url)

/** Scripts of other origins may only call the API, get tokens, and send and fetch files at signed URLs. */
const isOpen = (request: Request): boolean => isOfApi(request) || isFile(request) || isOfOAuth(request)

/** Whether a path has `;`, or needless percent-encoding outside the API, where clients may encode ids. */
const isDisguised = (request: Request): boolean => {
  const { url } = request
  return (
    (url.includes(";") && pathOf(url).includes(";")) ||
    (url.includes("%") && !isOfApi(request) && disguised.test(pathOf(url)))
  )
}

/** The response to OPTIONS: the methods of a path, or of the server as a whole for `*` (RFC 9110, section 9.3.7). */
const options = (request: Request, methods: Methods["Service"]) => {
  if (isOpen(request) && Cors.isPreflight(request)) return Effect.succeed(Cors.preflight(request))
  const allow = request.url === "*" ? everyMethod : methods.of(request.url)
  return allow.length === 0
    ? routeNotFound
    : Effect.succeed(HttpServerResponse.empty({ status: 204, headers: { allow: allow.join(", ") } }))
}

/** The response to a request that does not reach its route, if any. The context set here ends with the request. */
const refused = (fiber: AnyFiber, request: Request, methods: Methods["Service"]) => {
  if (!hasHost(request)) return wrongHost
  if (isDisguised(request)) return routeNotFound
  if (request.method === "OPTIONS") return options(request, methods)
  if (request.headers["prefer"] !== undefined && isDry(request) && !isOfApi(request) && !isSafe(request))
    return noDryRun
  // The handlers of uploads check their size.
  if (request.method !== "GET" && !isUpload(request)) {
    const limit = limitOf(request)
    const length = request.headers["content-length"]
    if (length !== undefined && Number(length) > ByteSize.toNumberUnsafe(limit)) return tooLarge(limit)
    // A body without Content-Length is measured while it is read.
    if (request.headers["transfer-encoding"] !== undefined) {
      fiber.setContext(Context.add(fiber.context, HttpIncomingMessage.MaxBodySize, limit))
    }
  }
  const seen = Compression.uncoded(request)
  if (seen !== request) fiber.setContext(Context.add(fiber.context, HttpServerRequest.HttpServerRequest, seen))
  return undefined
}

/** Reads a small body before the admission, so that a client that sends it slowly does not occupy a place there. */
const arrived = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
  if (!HttpMethod.hasBody(request.method as HttpMethod.HttpMethod) || isUpload(request)) return Effect.void
  const { "content-length": length, "transfer-encoding": coding } = request.headers
  const most = coding === undefined ? Number(length ?? 0) : ByteSize.toNumberUnsafe(limitOf(request))
  return most > 0 && most <= small ? Effect.ignore(request.arrayBuffer) : Effect.void
})

const beginning: Array<() => void> = []
const beginAll = (): void => beginning.splice(0).forEach((begin) => begin())

/** Begins the requests that are admitted in one turn of the event loop together: one write has all their statements. */
const together = Effect.callback<void>((resume) => {
  if (beginning.push(() => resume(Effect.void)) === 1) setImmediate(beginAll)
})

/** Headers of every response. With an https URL, browsers use only HTTPS for the next year (RFC 6797). */
const commonHeaders = (publicUrl: string): Readonly<Record<string, string>> => ({
  "x-content-type-options": "nosniff",
  ...(publicUrl.startsWith("https:") ? { "strict-transport-security": "max-age=31536000" } : {})
})

/** Adds headers to a response: the common ones, and those that its request asks for. */
const withHeaders = (
  request: Request,
  request_id: string,
  response: Response,
  common: Readonly<Record<string, string>>
): Response => {
  const { authorization, origin, prefer } = request.headers
  const headers: Record<string, string> = { "request-id": request_id, ...common }
  const limits = RateLimit.headersOf(request)
  if (limits !== undefined) Object.assign(headers, limits)
  // No cache may serve the response to a signed request, or a failure, to another request.
  if ((authorization !== undefined || response.status >= 400) && response.headers["cache-control"] === undefined) {
    headers["cache-control"] = response.headers["etag"] === undefined ? "no-store" : "private, no-cache"
  }
  if (origin !== undefined && isOpen(request)) Object.assign(headers, Cors.headers)
  const applied = prefer === undefined ? undefined : preferenceApplied(request)
  if (applied !== undefined) headers["preference-applied"] = applied
  return HttpServerResponse.setHeaders(response, headers)
}

/**
 * Server errors are logged, unless a reported outage explains them or the request is a probe. Other requests are logged at
 * the level debug only, because a line costs more than a read.
 */
const isLogged = (minimum: LogLevel.LogLevel, status: number, isKnown: boolean): boolean =>
  (status >= 500 && !isKnown) || minimum === "Debug" || minimum === "Trace" || minimum === "All"

/**
 * Applies to every request, whatever its route: a request id, a limit for the body, a problem for each failure, metrics,
 * a log line, CORS and compression.
 */
const middleware = HttpRouter.middleware(
  Effect.gen(function* () {
    const methods = yield* Methods
    const traffic = yield* HttpMetrics
    const addressOf = yield* ClientAddress
    const admission = yield* Admission
    const refusedCalls = yield* RefusedCalls
    const keyRequests = yield* KeyRequests
    const clock = yield* Clock.Clock
    const randomness = yield* Randomness
    const scope = yield* Scope.Scope
    const sampling = new Sampling()
    const outage = yield* DatabaseOutage
    const common = commonHeaders(yield* PublicUrl)

    /** Limits the log lines of server errors per second and code; the number of omitted lines is logged afterwards. */
    const sampled = (
      status: number,
      code: string | undefined,
      line: Effect.Effect<void>
    ): Effect.Effect<void> | undefined => {
      if (status < 500) return line
      const key = code ?? String(status)
      const seen = sampling.sees(key, clock.currentTimeMillisUnsafe())
      if (seen === "written") return line
      if (seen === "passed") return undefined
      return Effect.sleep("1 second").pipe(
        Effect.andThen(Effect.suspend(() => AccessLog.more(status, key, sampling.rest(key)))),
        Effect.forkIn(scope),
        Effect.asVoid
      )
    }

    const onFailure = (cause: Cause.Cause<unknown>) => failed(cause, methods)

    const countRefusal = (request: Request): void => {
      const { credential, problemCode } = stateOf(request.source)
      if (credential === undefined || problemCode === undefined) return
      const user_agent = request.headers["user-agent"] ?? null
      refusedCalls.count({ ...credential, ip: addressOf(request), user_agent }, problemCode)
    }

    /** Counts a response, and returns the effect that logs it, if any. `status` is 0 without a response. */
    const recorded = (fiber: AnyFiber, request: Request, status: number, began: number) => {
      const route = Context.getOrUndefined(fiber.context, HttpRouter.RouteContext)?.route
      const millis = performance.now() - began
      traffic.recordResponse(route, status, millis)
      if (status === 403) countRefusal(request)
      const { credential, isOutage, problemCode: code } = stateOf(request.source)
      if (code !== undefined) traffic.problem(code)
      if (credential?.kind === "api_key") {
        const { headers, method, url } = request
        keyRequests.add(credential, {
          at: clock.currentTimeMillisUnsafe(),
          method,
          route: patternOf(route),
          url,
          content_type: method === "GET" ? undefined : headers["content-type"],
          status,
          code,
          millis,
          request_id: requestId(randomness, request)
        })
      }
      if (isOutage) outage.count()
      // Load balancers request /readyz all the time, and the reasons of its failures are logged elsewhere.
      const isKnown = isOutage || request.url === "/readyz"
      return isLogged(fiber.getRef(References.MinimumLogLevel), status, isKnown)
        ? sampled(
            status,
            code,
            AccessLog.line(request, requestId(randomness, request), route, status, millis, addressOf(request))
          )
        : undefined
    }

    return (handler) =>
      Effect.withFiber((fiber) => {
        const began = performance.now()
        const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
        if (stateOf(request.source).isPipelined) return Effect.succeed(notProcessed)
        const coding = request.headers["accept-encoding"]
        // The router's type for failures that must become a response; here each of them becomes one.
        const responded: Effect.Effect<Response, Types.unhandled, HttpServerRequest.HttpServerRequest> =
          Effect.catchCause(
            refused(fiber, request, methods) ??
              Effect.andThen(arrived, admission.admit(request, Effect.andThen(together, handler))),
            onFailure
          )

        return Effect.matchCauseEffect(responded, {
          onFailure: (cause) =>
            Effect.andThen(recorded(fiber, request, 0, began) ?? Effect.void, Effect.failCause(cause)),
          onSuccess: (response) => {
            const withCommon = withHeaders(request, requestId(randomness, request), response, common)
            const line = recorded(fiber, request, response.status, began)
            const sent =
              coding === undefined
                ? Effect.succeed(Compression.plain(withCommon))
                : Compression.compressed(request, coding, withCommon)
            return line === undefined ? sent : Effect.andThen(line, sent)
          }
        })
      })
  }),
  { global: true }
)

/** Wraps the routes in the edge. */
export const around = <A, E, R>(routes: Layer.Layer<A, E, R>) =>
  routes.pipe(
    Layer.provide(middleware),
    Layer.provide(Methods.router),
    Layer.provide([Methods.layer, HttpMetrics.layer])
  )
