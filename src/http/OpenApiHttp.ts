import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { StaticAnswer } from "./StaticAnswer.ts"

/** `{base_url}/openapi.json`, open to anybody (contract 1). Made when it is first asked for: a start waits for nothing. */
export const OpenApiHttp = (document: () => Promise<object>) =>
  HttpRouter.use((router) => {
    let made: Promise<StaticAnswer> | undefined
    const make = async () =>
      // Caches hold it for scripts of other origins and for others apart.
      new StaticAnswer(JSON.stringify(await document()), {
        contentType: "application/json",
        headers: { vary: "Origin" }
      })
    return router.add(
      "GET",
      "/v2/openapi.json",
      Effect.flatMap(
        Effect.promise(() => (made ??= make())),
        ({ answer }) => answer
      )
    )
  })
