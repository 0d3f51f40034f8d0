import { NodeHttpServer } from "@effect/platform-node"
import { Cause, Context, Duration, Effect, Layer, type Types } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder, OpenApi } from "effect/http-api"
import { createServer, type RequestListener } from "node:http"
import * as ByteSize from "effect/ByteSize"
import { Database } from "../services/storage/Database.ts"
import { Streams } from "../services/sync/Streams.ts"
import { Sync } from "../services/sync/Sync.ts"
import { Api } from "./api/Api.ts"
import { AuthorizationHttp, ProblemsHttp } from "./http/AuthorizationHttp.ts"
import * as Lean from "./http/Lean.ts"
import { NotebooksHttp } from "./http/NotebooksHttp.ts"
import { NotesHttp } from "./http/NotesHttp.ts"
import { ErrorsUrl, problem, requestId } from "./http/Problem.ts"
import { SearchHttp } from "./http/SearchHttp.ts"
import { SyncHttp } from "./http/SyncHttp.ts"
import { TagsHttp } from "./http/TagsHttp.ts"
import { ConfigError } from "./Config.ts"
import { Connections } from "./Connections.ts"
import { Readiness } from "./Readiness.ts"

const basePath = "/v2"
/** A legal 1 MiB body may be six times that when escaped; a push carries many (contract 2, 413). */
const maxBody = ByteSize.mebibytes(7)
const maxPush = ByteSize.mebibytes(16)

const ApiRoutes = HttpApiBuilder.layer(Api).pipe(
  Layer.provide([NotesHttp, NotebooksHttp, TagsHttp, SyncHttp, SearchHttp]),
  Layer.provide([AuthorizationHttp, ProblemsHttp])
)

const OpenApiRoute = (publicUrl: string) =>
  HttpRouter.use((router) => {
    const document = OpenApi.fromApi(Api)
    const text = JSON.stringify({
      ...document,
      servers: [{ url: publicUrl + basePath }],
      paths: Object.fromEntries(
        Object.entries(document.paths).map(([path, item]) => [path.replace(basePath, ""), item])
      )
    })
    return router.add("GET", `${basePath}/openapi.json`, Effect.succeed(
      HttpServerResponse.text(text, { contentType: "application/json" })
    ))
  })

const HealthRoutes = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const readiness = yield* Readiness
  const { read } = yield* Database
  const text = (body: string, status: number) => HttpServerResponse.text(`${body}\n`, { status })
  yield* router.add("GET", "/healthz", Effect.succeed(text("ok", 200)))
  const notReady = (why: string) => HttpServerResponse.setHeader(text(why, 503), "retry-after", "2")
  yield* router.add("GET", "/readyz", Effect.suspend(() =>
    readiness.state !== "ready"
      ? Effect.succeed(notReady(readiness.state))
      : read.unsafe("SELECT 1").pipe(
        Effect.timeout(Duration.seconds(2)),
        Effect.match({ onSuccess: () => text("ready", 200), onFailure: () => notReady("no database") })
      )
  ))
}))

/** What happens to every request, whatever its route: an id, a limit to its body, and a problem for whatever fails. */
const edge = HttpRouter.middleware(
  (handler) =>
    Effect.withFiber((fiber) => {
      const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
      // The router's type for failures that only a response can stand for; here each of them gets one.
      const answered: Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled, HttpServerRequest.HttpServerRequest> =
        Effect.catchCause(limited(request, handler), failed)
      return Effect.map(answered, (response) =>
        HttpServerResponse.setHeader(response, "request-id", requestId(request)))
    }),
  { global: true }
)

/** Bodies but pushes are held to `maxBody`: before they are read where their length is told, else while they are. */
const limited = <A, E, R>(
  request: HttpServerRequest.HttpServerRequest,
  handler: Effect.Effect<A, E, R>
): Effect.Effect<A | HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.HttpServerRequest> => {
  if (request.method === "GET") return handler
  const limit = request.url.startsWith(`${basePath}/sync/push`) ? maxPush : maxBody
  const length = request.headers["content-length"]
  if (length === undefined) {
    return request.headers["transfer-encoding"] === undefined
      ? handler
      : Effect.provideService(handler, HttpIncomingMessage.MaxBodySize, limit)
  }
  return Number(length) > ByteSize.toNumberUnsafe(limit) ? tooLarge(limit) : handler
}

const tooLarge = (limit: ByteSize.ByteSize) =>
  problem({
    status: 413,
    code: "payload_too_large",
    detail: "The body is too large",
    members: { limit_bytes: ByteSize.toNumberUnsafe(limit) },
    // What is left of the body is not waited for.
    headers: { connection: "close" }
  })

/** The methods that a path has: what is unknown by one may be known by another. */
const methodsOf = (() => {
  let routes: ReadonlyArray<{ readonly pattern: RegExp; readonly methods: ReadonlyArray<string> }> | undefined
  return (path: string): ReadonlyArray<string> => {
    routes ??= Object.entries(OpenApi.fromApi(Api).paths).map(([path, item]) => ({
      pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`),
      methods: Object.keys(item).map((method) => method.toUpperCase())
    }))
    return routes.flatMap(({ methods, pattern }) => pattern.test(path) ? methods : [])
  }
})()

/** What no endpoint has turned into an answer: unknown routes, broken bodies, and our own mistakes. */
const failed = Effect.fnUntraced(function*(cause: Cause.Cause<unknown>) {
  // A client that went away gets no answer.
  if (Cause.hasInterruptsOnly(cause)) return yield* Effect.failCause(cause as Cause.Cause<never>)
  const reason = cause.reasons[0]
  const error = reason === undefined
    ? undefined
    : Cause.isFailReason(reason)
    ? reason.error
    : Cause.isDieReason(reason)
    ? reason.defect
    : undefined
  if (HttpServerError.isHttpServerError(error)) {
    if (error.reason._tag === "RouteNotFound") {
      const request = yield* HttpServerRequest.HttpServerRequest
      const allow = methodsOf(request.url.split("?", 1)[0]!)
      if (allow.length > 0 && !allow.includes(request.method)) {
        return yield* problem({
          status: 405,
          code: "method_not_allowed",
          detail: `This can be asked for by ${allow.join(", ")}`,
          headers: { allow: allow.join(", ") }
        })
      }
      return yield* problem({ status: 404, code: "route_not_found", detail: "No such route" })
    }
    if (error.reason._tag === "RequestParseError") {
      return error.reason.reason === "BodyTooLarge"
        ? yield* tooLarge((yield* HttpIncomingMessage.MaxBodySize) ?? maxPush)
        : yield* problem({ status: 400, code: "malformed_json", detail: "The body could not be read" })
    }
  }
  yield* Effect.logError("a request failed", cause).pipe(
    Effect.annotateLogs({ request_id: requestId(yield* HttpServerRequest.HttpServerRequest) })
  )
  return yield* problem({
    status: 500,
    code: "internal_error",
    detail: "Something went wrong here. The request id finds it in the log"
  })
})

const AllRoutes = (publicUrl: string) =>
  Layer.mergeAll(ApiRoutes, OpenApiRoute(publicUrl), HealthRoutes).pipe(Layer.provide(edge))

const refuse = (cause: unknown): Effect.Effect<Layer.Layer<unknown>, ConfigError> =>
  Effect.fail(new ConfigError({ message: `HOST and PORT cannot be listened on: ${(cause as Error).message}` }))

/** The listening socket. It is open before the rest is ready, and says so. */
const listener = (options: { readonly port: number; readonly host: string }) =>
  Layer.unwrap(
    Effect.gen(function*() {
      const readiness = yield* Readiness
      const connections = yield* Connections
      const early: RequestListener = (request, response) => {
        if (readiness.state !== "starting") return
        response.writeHead(request.url === "/healthz" ? 200 : 503, { "content-type": "text/plain", "retry-after": "1" })
        response.end(request.url === "/healthz" ? "ok\n" : "starting\n")
      }
      return NodeHttpServer.layer(
        () => connections.watch(createServer({ keepAliveTimeout: 75_000, requestTimeout: 120_000 }, early)),
        { ...options, gracefulShutdownTimeout: Duration.seconds(10) }
      )
    })
  ).pipe(
    Layer.catchTag("ServeError", ({ cause }) => Layer.unwrap(refuse(cause))),
    Layer.provideMerge(Connections.layer)
  )

/** Tells every listener goodbye, and lets long polls go, before the server waits for its requests to end. Built last, so ended first. */
const Drain = Layer.effectDiscard(
  Effect.gen(function*() {
    const readiness = yield* Readiness
    const streams = yield* Streams
    const sync = yield* Sync
    const connections = yield* Connections
    readiness.state = "ready"
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        readiness.state = "draining"
        connections.drain()
        return Effect.andThen(sync.endWaits, streams.endAll("shutdown"))
      })
    )
  })
)

/** The routes see all services while they are built; what is then done for each request sees none of them. */
const serving = <A, E, R>(routes: Layer.Layer<A, E, R>) =>
  Layer.unwrap(
    Effect.contextWith((all: Context.Context<Exclude<R, HttpRouter.HttpRouter>>) =>
      Effect.succeed(
        Lean.server(HttpRouter.serve(
          Layer.provide(routes, Layer.succeedContext(all)),
          { disableLogger: true, disableListenLog: true }
        ))
      )
    )
  )

export const layer = (options: { readonly publicUrl: string }) =>
  Drain.pipe(
    Layer.provideMerge(serving(AllRoutes(options.publicUrl))),
    Layer.provide(Layer.succeed(ErrorsUrl, `${options.publicUrl}${basePath}/errors/`)),
    Layer.provide(Layer.succeed(HttpIncomingMessage.MaxBodySize, maxPush))
  )

export { listener }
