import { Effect, Layer, Logger, Metric, Redacted, References } from "effect"
import { FetchHttpClient, HttpMiddleware, type HttpServerRequest, UrlParams } from "effect/http"
import { Otlp } from "effect/observability"
import { OpenApi } from "effect/http-api"
import { DatabaseOutage } from "../../services/database/DatabaseOutage.ts"
import { Api } from "../server/api/Api.ts"
import type { Settings } from "../server/settings/Config.ts"
import { loggerOf, toStandardError } from "./LogFormat.ts"

const levels = { trace: "Trace", debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const

/** Omits failures that a database outage explains, unless the log level is debug or lower. */
const withoutOutages = (outage: DatabaseOutage["Service"], logger: Logger.Logger<unknown, void>) =>
  Logger.make<unknown, void>((options) => {
    const minimum = options.fiber.getRef(References.MinimumLogLevel)
    if (!outage.explains(options.cause) || ["All", "Trace", "Debug"].includes(minimum)) logger.log(options)
  })

const logging = (settings: Settings) =>
  Layer.mergeAll(
    Logger.layer([Effect.map(DatabaseOutage, (outage) => withoutOutages(outage, loggerOf(settings)))]),
    toStandardError,
    Layer.succeed(References.MinimumLogLevel, levels[settings.logLevel])
  ).pipe(Layer.provideMerge(DatabaseOutage.layer))

/** Method and path pattern, such as `GET /v2/notes/{id}`, so that there are few span names. */
const spanName = (() => {
  let patterns: ReadonlyArray<readonly [RegExp, string]> | undefined
  return ({ method, url }: HttpServerRequest.HttpServerRequest): string => {
    patterns ??= Object.keys(OpenApi.fromApi(Api).paths).map(
      (path) => [new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`), path] as const
    )
    const path = url.split("?", 1)[0]!
    const pattern = patterns.find(([expression]) => expression.test(path))?.[1]
    return pattern === undefined ? method : `${method} ${pattern}`
  }
})()

/** Paths without spans: probes are noise, and the addresses of shared pages and files are secrets. */
const untracedPaths = /^\/(healthz|readyz|metrics|s|files)(\/|\?|$)/

/** Milliseconds after which a request to the collector is aborted, so that only a few batches pile up. */
const timeout = 5_000
const fetchWithTimeout: typeof fetch = (input, init) => {
  const ends = [AbortSignal.timeout(timeout), ...(init?.signal ? [init.signal] : [])]
  return fetch(input, { ...init, signal: AbortSignal.any(ends) })
}

/** Sends spans, metrics and logs to a collector, by the OpenTelemetry protocol. */
const collector = ({ endpoint, headers, protocol, serviceName }: NonNullable<Settings["otlp"]>) => {
  const layer = protocol === "http/json" ? Otlp.layerJson : Otlp.layerProtobuf
  return layer({
    baseUrl: endpoint,
    resource: { serviceName },
    ...(headers === undefined ? {} : { headers: Redacted.value(headers) })
  }).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(Layer.succeed(FetchHttpClient.Fetch, fetchWithTimeout)),
    Layer.merge(
      Layer.mergeAll(
        Layer.succeed(HttpMiddleware.SpanNameGenerator, spanName),
        Layer.succeed(HttpMiddleware.TracerDisabledWhen, (request) => untracedPaths.test(request.url)),
        // Query parameters may contain text of users.
        Layer.succeed(UrlParams.CurrentRedactedNames, [/./])
      )
    )
  )
}

/** The log, the metrics and, for a collector, the spans of Sheaf. */
export const layer = (settings: Settings) =>
  (settings.otlp === undefined
    ? // Without a collector no spans are recorded.
      Layer.succeed(References.TracerEnabled, false)
    : collector(settings.otlp)
  ).pipe(Layer.provideMerge(logging(settings)), Layer.provideMerge(Layer.sync(Metric.MetricRegistry, () => new Map())))
