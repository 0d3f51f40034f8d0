import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { ProblemCode } from "../../../../services/ProblemCodes.ts"
import { typeWeights } from "../responses/Accept.ts"
import { escapeHtml as escape } from "../../EscapeHtml.ts"
import { frame, headersOf, html, styled } from "../responses/HtmlPage.ts"
import { ErrorsUrl, problem } from "../responses/Problem.ts"
import type { PageTexts } from "./languages/EnglishPages.ts"
import { pageTexts } from "./languages/PageLanguages.ts"
import { type Explanation, explanationOf } from "../../api/ProblemExplanations.ts"

const style = styled("")

/** Cause and remedy are parts of the API, which is in English. A reader of another language gets its sentence about the code. */
const page = (
  code: ProblemCode,
  { cause, remedy, status, title }: Explanation,
  { lang, problem, problemPage }: PageTexts,
  problemsUrl: string
): string => {
  const heading = problemPage.heading(title)
  return frame({
    style,
    title: heading,
    lang,
    body: `<main>
<h1>${escape(heading)}</h1>
<p class="about"><code>${code}</code>, ${problemPage.status(status)}</p>
${heading === title ? "" : `<p>${escape(problem(code, title))}</p>`}
<h2>${problemPage.cause}</h2>
<p lang="en">${escape(cause)}</p>
<h2>${problemPage.remedy}</h2>
<p lang="en">${escape(remedy)}</p>
<p>${problemPage.all(`<a href="${escape(`${problemsUrl}#${code}`)}">`)}</p>
</main>`
  })
}

const unknown = problem({ status: 404, code: "not_found", detail: "No such problem code" })

// Caches store responses with and without CORS headers separately.
const headers = { "cache-control": "public, max-age=3600", vary: "Accept, Accept-Language, Origin" }

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
            return html(page(code as ProblemCode, known, yield* pageTexts, problemsUrl), 200, {
              ...headersOf(style),
              ...headers
            })
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
