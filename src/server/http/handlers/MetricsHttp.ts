import { Effect, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { hash, timingSafeEqual } from "node:crypto"
import { PoolMetrics } from "../../../../services/database/PoolMetrics.ts"
import { ParentLink } from "../../../../services/concurrency/ParentLink.ts"
import { problem } from "../responses/Problem.ts"
import { isLocal, isPage } from "../server/LocalRequests.ts"

const notFound = problem({ status: 404, code: "route_not_found", detail: "No such route" })

const closed = problem({
  status: 403,
  code: "forbidden",
  detail: "Only this machine can read the metrics, unless METRICS_TOKEN is set"
})

const unauthorized = (isSent: boolean) =>
  problem({
    status: 401,
    code: isSent ? "invalid_token" : "authentication_required",
    detail: "Send METRICS_TOKEN: Authorization: Bearer <token>",
    headers: { "www-authenticate": `Bearer realm="metrics"${isSent ? `, error="invalid_token"` : ""}` }
  })

const digest = (text: string): Uint8Array => hash("sha256", text, "buffer")

/** `/metrics` in the text format of Prometheus, for this machine or for clients with the token (contract 1). */
export const MetricsHttp = (token: Redacted.Redacted | undefined) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const database = yield* PoolMetrics
      // Comparing digests reveals neither the length of the token nor how much of a guess was right.
      const expected = token === undefined ? undefined : digest(Redacted.value(token))

      const own = yield* Effect.map(Effect.context<never>(), (context) =>
        Effect.provideContext(Effect.andThen(database.refresh, PrometheusMetrics.format()), context)
      )
      const link = yield* ParentLink
      if (link !== undefined) yield* link.respond("metrics", own)
      const metrics = (link === undefined ? own : Effect.orDie(link.ask<string>("metrics", null))).pipe(
        Effect.map((text) =>
          HttpServerResponse.text(text, {
            contentType: "text/plain; version=0.0.4; charset=utf-8",
            headers: { "cache-control": "no-store" }
          })
        )
      )

      yield* router.add(
        "GET",
        "/metrics",
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
          // Only one spelling of the path is accepted, or a proxy that blocks it would pass another spelling.
          if (request.url !== "/metrics" && !request.url.startsWith("/metrics?")) return notFound
          if (isPage(request)) return closed
          if (expected === undefined) return isLocal(request) ? metrics : closed
          const sent = /^bearer +(.+)$/i.exec(request.headers["authorization"] ?? "")?.[1]
          if (sent === undefined) return unauthorized(false)
          return timingSafeEqual(digest(sent.trim()), expected) ? metrics : unauthorized(true)
        })
      )
    })
  )
