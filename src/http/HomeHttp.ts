import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import { Readiness } from "../Readiness.ts"
import { typeWeights } from "./Accept.ts"
import { escapeHtml } from "./EscapeHtml.ts"
import { StaticAnswer } from "./StaticAnswer.ts"

const style = `
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5b616a; --line: #e3e5e9; --ground: #ffffff; --link: #0b5cad; --well: #17724a }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8eb; --soft: #a3a9b1; --line: #2d3239; --ground: #14171a; --link: #7cb8ff; --well: #5fd39a }
}
body { margin: 0 auto; max-width: 40rem; padding: 4rem 1.25rem; background: var(--ground); color: var(--ink); font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", sans-serif }
h1 { margin: 0; font-size: 2rem; line-height: 1.2 }
a { color: var(--link) }
.state { color: var(--well); font-weight: 600 }
ul { list-style: none; margin: 2rem 0; padding: 0 }
li { padding: .7rem 0; border-top: 1px solid var(--line) }
li span { display: block; color: var(--soft); font-size: .925rem }
code { font: .9em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere }
`

const policy = `default-src 'none'; style-src 'sha256-${createHash("sha256")
  .update(style)
  .digest("base64")}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

type State = Readiness["Service"]["state"]

const said: Readonly<Record<State, string>> = {
  starting: "This server is starting.",
  ready: "This server is well and takes requests.",
  draining: "This server is stopping."
}

/** Where to go: a name for programs, an address below that of the server, and what it is for people. */
const ways = [
  ["docs", "/docs", "API reference", "Every operation with its members and problems, and a search"],
  ["guide", "/docs/sync-client", "Write a sync client", "How a client works offline, with one that does"],
  ["openapi", "/v2/openapi.json", "openapi.json", "The same reference for programs: OpenAPI 3.1"],
  ["health", "/healthz", "healthz", "Whether the process is alive"],
  ["readiness", "/readyz", "readyz", "Whether it can serve, its database included"]
] as const

const page = (publicUrl: string, prefix: string, state: State): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sheaf</title><link rel="icon" href="data:,"><style>${style}</style></head>
<body><main><h1>Sheaf</h1>
<p>A self-hosted notes, sync and search service. Its API is served at <code>${escapeHtml(publicUrl)}/v2</code>.</p>
<p class="state">${said[state]}</p>
<ul>${ways.map(([, path, title, text]) => `<li><a href="${prefix}${path}">${title}</a><span>${text}</span></li>`).join("\n")}</ul>
</main></body></html>
`

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

/** `/`: what this is, that it is well, and where to go; `{base_url}` and `{base_url}/docs` lead to `/docs` (contract 1). */
export const HomeHttp = (publicUrl: string) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const readiness = yield* Readiness
      const prefix = new URL(publicUrl).pathname.replace(/\/$/, "")
      const made = new Map<string, StaticAnswer>()
      const answer = (state: State, isPage: boolean): StaticAnswer => {
        const key = `${state} ${isPage}`
        const known = made.get(key)
        if (known !== undefined) return known
        const fresh = isPage
          ? new StaticAnswer(page(publicUrl, prefix, state), {
              contentType: "text/html; charset=utf-8",
              headers: { ...headers, "content-security-policy": policy, "x-content-type-options": "nosniff" }
            })
          : new StaticAnswer(summary(publicUrl, state), { contentType: "application/json", headers })
        made.set(key, fresh)
        return fresh
      }
      yield* router.add(
        "GET",
        "/",
        Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
          const weight = typeWeights(headers["accept"] ?? "application/json")
          return answer(readiness.state, weight("text/html") > weight("application/json")).answer
        })
      )
      const toDocs = Effect.succeed(HttpServerResponse.redirect(`${prefix}/docs`))
      yield* router.add("GET", "/v2", toDocs)
      yield* router.add("GET", "/v2/docs", toDocs)
    })
  )
