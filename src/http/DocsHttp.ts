import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { openApiDocument } from "../openapi/OpenApiDocument.ts"
import { reference } from "../openapi/Reference.ts"

/** `/docs`, the API reference (contract 1). Made when it is first asked for. */
export const DocsHttp = (publicUrl: string) =>
  HttpRouter.use((router) => {
    let page: HttpServerResponse.HttpServerResponse | undefined
    const make = () => {
      const { html, policy } = reference(openApiDocument(publicUrl))
      return HttpServerResponse.text(html, {
        contentType: "text/html; charset=utf-8",
        headers: {
          "content-security-policy": policy,
          "x-content-type-options": "nosniff",
          "referrer-policy": "no-referrer"
        }
      })
    }
    return router.add(
      "GET",
      "/docs",
      Effect.sync(() => (page ??= make()))
    )
  })
