import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Readiness } from "../server/Readiness.ts"
import { typeWeights } from "../responses/Accept.ts"
import { prefixOf } from "../responses/HtmlPage.ts"
import { StaticResponse } from "../responses/StaticResponse.ts"

type State = Readiness["Service"]["state"]

/** Paths of links by their names. */
const links = {
  console: "/console/",
  docs: "/docs",
  guide: "/docs/clients",
  openapi: "/v2/openapi.json",
  health: "/healthz",
  readiness: "/readyz"
}

const summary = (publicUrl: string, state: State): string =>
  `${JSON.stringify(
    {
      name: "Sheaf",
      status: state,
      base_url: `${publicUrl}/v2`,
      ...Object.fromEntries(Object.entries(links).map(([name, path]) => [name, publicUrl + path]))
    },
    null,
    2
  )}\n`

const headers = { vary: "Accept" }

/**
 * `/`: the server's state and links (contract, section 1); browsers are redirected to the console. `{base_url}` and
 * `{base_url}/docs` redirect to `/docs`.
 */
export const HomeHttp = (publicUrl: string) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const readiness = yield* Readiness
      const prefix = prefixOf(publicUrl)
      const made = new Map<State, StaticResponse>()
      const summaryOf = (state: State): StaticResponse => {
        const known = made.get(state)
        if (known !== undefined) return known
        const fresh = new StaticResponse(summary(publicUrl, state), { contentType: "application/json", headers })
        made.set(state, fresh)
        return fresh
      }
      const toConsole = HttpServerResponse.redirect(prefix + links.console, { headers })
      yield* router.add(
        "GET",
        "/",
        Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
          const weight = typeWeights(headers["accept"] ?? "application/json")
          return weight("text/html") > weight("application/json")
            ? Effect.succeed(toConsole)
            : summaryOf(readiness.state).response
        })
      )
      const toDocs = Effect.succeed(HttpServerResponse.redirect(`${prefix}/docs`))
      yield* router.add("GET", "/v2", toDocs)
      yield* router.add("GET", "/v2/docs", toDocs)
    })
  )
