import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { StaticAnswer } from "./StaticAnswer.ts"

/** `{base_url}/openapi.json`, open to anybody (contract 1). Made when it is first asked for: a start waits for nothing. */
export const OpenApiHttp = (document: () => object) =>
  HttpRouter.use((router) => {
    let made: StaticAnswer | undefined
    return router.add(
      "GET",
      "/v2/openapi.json",
      Effect.suspend(() => {
        // Caches hold it for scripts of other origins and for others apart.
        made ??= new StaticAnswer(JSON.stringify(document()), {
          contentType: "application/json",
          headers: { vary: "Origin" }
        })
        return made.answer
      })
    )
  })
