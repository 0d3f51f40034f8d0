import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { siteFiles } from "../../reference/SitePaths.ts"
import { PublicUrl } from "../responses/Respond.ts"
import { SitePages } from "../responses/SitePages.ts"

/** `{base_url}/openapi.json`, without a credential (contract 1). */
export const OpenApiHttp = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    // The response to a script of another origin has other headers: caches keep both.
    const pages = new SitePages(yield* PublicUrl, { contentType: "application/json", headers: { vary: "Origin" } })
    yield* router.add(
      "GET",
      "/v2/openapi.json",
      Effect.flatMap(pages.page(siteFiles.description), (page) => page!.response)
    )
  })
)
