import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { typeWeights } from "../responses/Accept.ts"
import { escapeHtml as escape } from "../../EscapeHtml.ts"
import { frame, headersOf, html, styled } from "../responses/HtmlPage.ts"
import { ErrorsUrl, problem } from "../responses/Problem.ts"
import { type Explanation, explanationOf } from "../../api/ProblemExplanations.ts"

const style = styled("")

const page = (code: string, { cause, remedy, status, title }: Explanation, problemsUrl: string): string =>
  frame({
    style,
    title,
    body: `<main>
<h1>${escape(title)}</h1>
<p class="about"><code>${code}</code>, status ${status}</p>
<h2>Cause</h2>
<p>${escape(cause)}</p>
<h2>Remedy</h2>
<p>${escape(remedy)}</p>
<p><a href="${escape(`${problemsUrl}#${code}`)}">All problems, and the operations that return this one</a></p>
</main>`
  })

const unknown = problem({ status: 404, code: "not_found", detail: "No such problem code" })

// Caches store responses with and without CORS headers separately.
const headers = { "cache-control": "public, max-age=3600", vary: "Accept, Origin" }

/** `GET {base_url}/errors/{code}`: the address in the `type` of a problem (contract, section 2), as JSON or a page. */
export const ErrorsHttp = (basePath: `/${string}`) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const errorsUrl = yield* ErrorsUrl
      // The link has no host, so that it works with any host name of the server.
      const problemsUrl = new URL("../../docs/problems", errorsUrl).pathname
      yield* router.add(
        "GET",
        `${basePath}/errors/:code`,
        Effect.gen(function* () {
          const { params } = yield* HttpRouter.RouteContext
          const { accept } = (yield* HttpServerRequest.HttpServerRequest).headers
          const code = params["code"]!
          const known = explanationOf(code)
          if (known === undefined) return yield* unknown
          const weight = typeWeights(accept ?? "application/json")
          if (weight("text/html") > weight("application/json")) {
            return html(page(code, known, problemsUrl), 200, { ...headersOf(style), ...headers })
          }
          if (weight("application/json") === 0) {
            return yield* problem({
              status: 406,
              code: "not_acceptable",
              detail: "The response is available as application/json or text/html",
              members: { acceptable: ["application/json", "text/html"] }
            })
          }
          const { cause, remedy, status, title } = known
          return HttpServerResponse.text(
            JSON.stringify({ type: errorsUrl + code, code, title, status, cause, remedy }),
            {
              contentType: "application/json",
              headers
            }
          )
        })
      )
    })
  )
