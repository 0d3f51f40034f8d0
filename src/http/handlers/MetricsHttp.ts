import { Effect, Option, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { hash, timingSafeEqual } from "node:crypto"
import { DatabaseUse } from "../../../services/database/PoolMetrics.ts"
import { problem } from "../responses/Problem.ts"

const loopback = /^(127\.|::1$|::ffff:127\.)/

/** A request of this machine itself, not one that a proxy on it passes on. */
const isLocal = ({ headers, remoteAddress }: HttpServerRequest.HttpServerRequest): boolean =>
  loopback.test(Option.getOrElse(remoteAddress, () => "")) &&
  localName.test(headers["host"] ?? "") &&
  headers["forwarded"] === undefined &&
  headers["x-forwarded-for"] === undefined

/** The names by which a process on this machine calls it. Another name may be that of a page in a browser here. */
const localName = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i

/** A page in a browser asks, which may have come from anywhere: also one whose name leads to this machine. */
const isPage = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["origin"] !== undefined || !["none", undefined].includes(headers["sec-fetch-site"])

const notFound = problem({ status: 404, code: "route_not_found", detail: "No such route" })

const closed = problem({
  status: 403,
  code: "forbidden",
  detail: "Metrics are shown to this machine only, unless METRICS_TOKEN is set"
})

const unauthorized = (isSent: boolean) =>
  problem({
    status: 401,
    code: isSent ? "invalid_token" : "authentication_required",
    detail: "Send METRICS_TOKEN: Authorization: Bearer <token>",
    headers: { "www-authenticate": `Bearer realm="metrics"${isSent ? `, error="invalid_token"` : ""}` }
  })

const digest = (text: string): Uint8Array => hash("sha256", text, "buffer")

/** `/metrics` in the text format of Prometheus, for this machine or for who has the token (contract 1). */
export const MetricsHttp = (token: Redacted.Redacted | undefined) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const database = yield* DatabaseUse
      // Digests have one length, and tell nothing of how much of a guess was right.
      const expected = token === undefined ? undefined : digest(Redacted.value(token))

      const metrics = database.refresh.pipe(
        Effect.andThen(PrometheusMetrics.format()),
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
          // Written in one way only, or a proxy that keeps it closed would let another pass.
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
