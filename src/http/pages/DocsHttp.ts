import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import { style } from "../../reference/Style.ts"
import { problem, problemOf } from "../responses/Problem.ts"
import { ReferencePages } from "../responses/ReferencePages.ts"

const contentType = "text/html; charset=utf-8"

const headers = {
  // Under it a browser runs nothing, and loads nothing but the one style in the page.
  "content-security-policy": `default-src 'none'; style-src 'sha256-${createHash("sha256")
    .update(style)
    .digest("base64")}'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer"
}

const noSuchPage = problem({ status: 404, code: "route_not_found", detail: "The reference has no such page" })

const longestQuery = 200
const longestSlug = 100

/** What is searched for at `/docs?q=`. */
const queryOf = (url: string): string => {
  const mark = url.indexOf("?")
  const query = mark < 0 ? null : new URLSearchParams(url.slice(mark)).get("q")
  return (query ?? "").trim().slice(0, longestQuery)
}

/** `/docs`, the API reference and its guide (contract 1): open to anybody. */
export const DocsHttp = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const pages = yield* ReferencePages
    const page = (slug: string) =>
      slug.length > longestSlug
        ? noSuchPage
        : pages.page({ slug }, { contentType, headers }).pipe(
            Effect.flatMap((answer) => answer?.answer ?? noSuchPage),
            Effect.catchTag("Unavailable", problemOf)
          )
    const found = (query: string) =>
      pages.found(query).pipe(
        Effect.map((html) => HttpServerResponse.text(html, { contentType, headers })),
        Effect.catchTag("Unavailable", problemOf)
      )
    yield* router.add(
      "GET",
      "/docs",
      Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => {
        const query = queryOf(url)
        return query === "" ? page("") : found(query)
      })
    )
    yield* router.add(
      "GET",
      "/docs/:page",
      Effect.flatMap(HttpRouter.RouteContext, ({ params }) => page(params["page"]!))
    )
    yield* router.add(
      "GET",
      "/docs/guides/:page",
      Effect.flatMap(HttpRouter.RouteContext, ({ params }) => page(`guides/${params["page"]!}`))
    )
  })
)
