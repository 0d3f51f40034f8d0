import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Readiness } from "../server/Readiness.ts"
import { typeWeights } from "../responses/Accept.ts"
import { escapeHtml } from "../../EscapeHtml.ts"
import { frame, headersOf, prefixOf, styled } from "../responses/HtmlPage.ts"
import { StaticResponse } from "../responses/StaticResponse.ts"

const style = styled(`
.state { color: var(--tip); font-weight: 600 }
.ways { list-style: none; margin: 2rem 0; padding: 0 }
.ways li { padding: .7rem 0; border-top: 1px solid var(--line) }
.ways span { display: block; color: var(--soft); font-size: .925rem }
`)

type State = Readiness["Service"]["state"]

const stateTexts: Readonly<Record<State, string>> = {
  starting: "This server is starting.",
  ready: "This server is running and accepts requests.",
  draining: "This server is stopping."
}

/** Links: a name for programs, a path, a title and a description. */
const ways = [
  ["docs", "/docs", "API reference", "Guides, every operation with its fields and problems, and a search"],
  [
    "guide",
    "/docs/clients",
    "Write a client",
    "The package for TypeScript, with a sync engine for apps that work offline; the rules of sync for other languages"
  ],
  ["openapi", "/v2/openapi.json", "openapi.json", "The same reference for programs: OpenAPI 3.1"],
  ["health", "/healthz", "healthz", "Whether the process is alive"],
  ["readiness", "/readyz", "readyz", "Whether the server and its database can serve requests"]
] as const

const page = (publicUrl: string, prefix: string, state: State): string =>
  frame({
    style,
    title: "Sheaf",
    body: `<main>
<h1>Sheaf</h1>
<p>A self-hosted notes, sync and search service. Its API is served at <code>${escapeHtml(publicUrl)}/v2</code>.</p>
<p class="state">${stateTexts[state]}</p>
<ul class="ways">${ways.map(([, path, title, text]) => `<li><a href="${prefix}${path}">${title}</a><span>${text}</span></li>`).join("\n")}</ul>
</main>`
  })

const summary = (publicUrl: string, state: State): string =>
  `${JSON.stringify(
    {
      name: "Sheaf",
      status: state,
      base_url: `${publicUrl}/v2`,
      ...Object.fromEntries(ways.map(([name, path]) => [name, publicUrl + path]))
    },
    null,
    2
  )}\n`

const headers = { vary: "Accept" }

/** `/`: the server's state and links (contract, section 1). `{base_url}` and `{base_url}/docs` redirect to `/docs`. */
export const HomeHttp = (publicUrl: string) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const readiness = yield* Readiness
      const prefix = prefixOf(publicUrl)
      const made = new Map<string, StaticResponse>()
      const responseOf = (state: State, isPage: boolean): StaticResponse => {
        const key = `${state} ${isPage}`
        const known = made.get(key)
        if (known !== undefined) return known
        const fresh = isPage
          ? new StaticResponse(page(publicUrl, prefix, state), {
              contentType: "text/html; charset=utf-8",
              headers: { ...headersOf(style), ...headers }
            })
          : new StaticResponse(summary(publicUrl, state), { contentType: "application/json", headers })
        made.set(key, fresh)
        return fresh
      }
      yield* router.add(
        "GET",
        "/",
        Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
          const weight = typeWeights(headers["accept"] ?? "application/json")
          return responseOf(readiness.state, weight("text/html") > weight("application/json")).response
        })
      )
      const toDocs = Effect.succeed(HttpServerResponse.redirect(`${prefix}/docs`))
      yield* router.add("GET", "/v2", toDocs)
      yield* router.add("GET", "/v2/docs", toDocs)
    })
  )
