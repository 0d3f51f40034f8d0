import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import { style } from "../../reference/Style.ts"
import type { SearchEntryIndex } from "../../reference/SearchEntryIndex.ts"
import type { withResults } from "../../reference/SearchResults.ts"
import { siteFiles } from "../../reference/SitePaths.ts"
import { markdownOptions } from "./AssistantHttp.ts"
import { problem } from "../responses/Problem.ts"
import { PublicUrl } from "../responses/Respond.ts"
import { SitePages } from "../responses/SitePages.ts"

const contentType = "text/html; charset=utf-8"

const headers = {
  // Browsers run no scripts, and load nothing except the style in the page.
  "content-security-policy": `default-src 'none'; style-src 'sha256-${createHash("sha256")
    .update(style)
    .digest("base64")}'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer"
}

const noSuchPage = problem({ status: 404, code: "route_not_found", detail: "The reference has no page at this path" })

/** Maximum number of characters of a query. */
const maxQuery = 200

/** Whether a text may be the slug of a page, which is part of a file name. */
const isSlug = (slug: string): boolean => /^(guides\/)?[a-z][a-z-]{0,99}$/.test(slug)
const ending = ".md"

const queryOf = (url: string): string => {
  const mark = url.indexOf("?")
  const query = mark < 0 ? null : new URLSearchParams(url.slice(mark)).get("q")
  return (query ?? "").trim().slice(0, maxQuery)
}

/**
 * `/docs`, the API reference with its guides (contract, section 1), `/docs?q=`, its search, and files for other programs. No
 * key is needed.
 */
export const DocsHttp = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const publicUrl = yield* PublicUrl
    const pages = new SitePages(publicUrl, { contentType, headers })
    const files = new SitePages(publicUrl, { contentType: "application/json", headers: { vary: "Origin" } })

    const page = (slug: string) =>
      Effect.flatMap(pages.page(siteFiles.page(slug)), (page) => page?.response ?? noSuchPage)
    const texts = new SitePages(publicUrl, markdownOptions)
    const text = (slug: string) =>
      Effect.flatMap(texts.page(siteFiles.markdown(slug)), (page) => page?.response ?? noSuchPage)
    const pageOrNone = (name: string) => {
      const slug = name.endsWith(ending) ? name.slice(0, -ending.length) : name
      return !isSlug(slug) ? noSuchPage : slug === name ? page(slug) : text(slug)
    }

    /** Read with the first search, which most servers never have. */
    let search:
      | { readonly page: string; readonly index: SearchEntryIndex; readonly shown: typeof withResults }
      | undefined
    const readSearch = Effect.gen(function* () {
      const [page, json] = yield* Effect.all([pages.text(siteFiles.searchPage), pages.text(siteFiles.searchIndex)])
      const [index, shown] = yield* Effect.promise(async () => {
        const { SearchEntryIndex } = await import("../../reference/SearchEntryIndex.ts")
        const { withResults } = await import("../../reference/SearchResults.ts")
        return [await SearchEntryIndex.read(json!), withResults] as const
      })
      return (search = { page: page!, index, shown })
    })
    const found = (query: string) =>
      Effect.map(search === undefined ? readSearch : Effect.succeed(search), ({ index, page, shown }) =>
        HttpServerResponse.text(shown(page, query, index.find(query)), { contentType, headers })
      )

    yield* router.add(
      "GET",
      "/docs",
      Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => {
        const query = queryOf(url)
        return query === "" ? page("") : Effect.suspend(() => found(query))
      })
    )
    for (const file of [siteFiles.grafanaBoard, siteFiles.exportSchema] as const)
      yield* router.add(
        "GET",
        `/docs/${file}`,
        Effect.flatMap(files.page(file), (page) => page!.response)
      )
    yield* router.add(
      "GET",
      "/docs/:page",
      Effect.flatMap(HttpRouter.RouteContext, ({ params }) => pageOrNone(params["page"]!))
    )
    yield* router.add(
      "GET",
      "/docs/guides/:page",
      Effect.flatMap(HttpRouter.RouteContext, ({ params }) => pageOrNone(`guides/${params["page"]!}`))
    )
  })
)
