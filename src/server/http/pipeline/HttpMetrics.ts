import { Context, Effect, Layer } from "effect"
import type { HttpRouter } from "effect/http"
import { latencyBounds } from "../../../../services/series/LatencyBuckets.ts"
import { Buckets, Registry } from "../../metrics/Registry.ts"

/** By the first digit of the status. "aborted" is status 0: the client disconnected before the response. */
const classes = ["aborted", "1xx", "2xx", "3xx", "4xx", "5xx"]

const patterns = new WeakMap<HttpRouter.Route<any, any>, string>()

/** The pattern of a route in the notation of OpenAPI: `/v2/notes/{id}`. */
export const patternOf = (route: HttpRouter.Route<any, any> | undefined): string => {
  if (route === undefined) return "none"
  let pattern = patterns.get(route)
  if (pattern === undefined) patterns.set(route, (pattern = route.path.replaceAll(/:([A-Za-z_]+)/g, "{$1}")))
  return pattern
}

interface Series {
  readonly byClass: Float64Array
  readonly seconds: Buckets
}

/**
 * Counts responses by route, and problems by code. Labels are created once per route, not per request, and contain no
 * text of clients: requests without a route count as `none`.
 */
export class HttpMetrics extends Context.Service<
  HttpMetrics,
  {
    /** `status` is 0 if the client disconnected before the response. */
    readonly recordResponse: (route: HttpRouter.Route<any, any> | undefined, status: number, millis: number) => void
    readonly problem: (code: string) => void
  }
>()("sheaf/http/pipeline/HttpMetrics") {
  static readonly layer = Layer.effect(
    HttpMetrics,
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.sync(() => {
        const readings = new Registry(context)
        const routes = new Map<HttpRouter.Route<any, any> | undefined, Series>()
        const problems = new Map<string, { count: number }>()

        const labelsOf = (route: HttpRouter.Route<any, any> | undefined) => ({
          route: patternOf(route),
          method: route?.method ?? "none"
        })

        const seriesOf = (route: HttpRouter.Route<any, any> | undefined): Series => {
          const series = { byClass: new Float64Array(classes.length), seconds: new Buckets(latencyBounds) }
          routes.set(route, series)
          readings.histogram(
            {
              name: "sheaf_http_request_duration_seconds",
              description: "Seconds until the response was ready to be sent, or until a stream opened",
              attributes: labelsOf(route)
            },
            series.seconds
          )
          return series
        }

        const countClass = (route: HttpRouter.Route<any, any> | undefined, { byClass }: Series, index: number) =>
          readings.counter(
            {
              name: "sheaf_http_requests_total",
              description: "Requests by route, method and status class",
              attributes: { ...labelsOf(route), status: classes[index]! }
            },
            () => byClass[index]!
          )

        return HttpMetrics.of({
          recordResponse: (route, status, millis) => {
            const series = routes.get(route) ?? seriesOf(route)
            const index = (status / 100) | 0
            if (series.byClass[index]!++ === 0) countClass(route, series, index)
            if (status > 0) series.seconds.add(millis / 1000)
          },
          problem: (code) => {
            const known = problems.get(code)
            if (known !== undefined) {
              known.count++
              return
            }
            const counted = { count: 1 }
            problems.set(code, counted)
            readings.counter(
              {
                name: "sheaf_http_problems_total",
                description: "Problems by code",
                attributes: { code }
              },
              () => counted.count
            )
          }
        })
      })
    )
  )
}
