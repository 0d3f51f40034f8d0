import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { problemOf } from "../responses/Problem.ts"
import { ReferencePages } from "../responses/ReferencePages.ts"

/** `{base_url}/openapi.json`, open to anybody (contract 1). */
export const OpenApiHttp = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const pages = yield* ReferencePages
    // Caches hold it for scripts of other origins and for others apart.
    const options = { contentType: "application/json", headers: { vary: "Origin" } }
    yield* router.add(
      "GET",
      "/v2/openapi.json",
      pages.page({ file: "openapi.json" }, options).pipe(
        Effect.flatMap((page) => page!.answer),
        Effect.catchTag("Unavailable", problemOf)
      )
    )
  })
)
