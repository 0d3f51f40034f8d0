import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { openApiDocument } from "../openapi/OpenApiDocument.ts"

/** `{base_url}/openapi.json`, open to anybody (contract 1). Made when it is first asked for: a start waits for nothing. */
export const OpenApiHttp = (publicUrl: string) =>
  HttpRouter.use((router) => {
    let text: string | undefined
    return router.add(
      "GET",
      "/v2/openapi.json",
      Effect.sync(() =>
        HttpServerResponse.text((text ??= JSON.stringify(openApiDocument(publicUrl))), {
          contentType: "application/json"
        })
      )
    )
  })
