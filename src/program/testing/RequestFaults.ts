import { Clock, Effect, Layer, Stream } from "effect"
import { HttpBody, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { NodeHttpServerRequest } from "@effect/platform-node"
import { Unavailable } from "../../../services/Errors.ts"
import { problemOf } from "../../server/http/responses/Problem.ts"
import type { Faults } from "./Faults.ts"

const unavailable = new Unavailable({
  code: "service_unavailable",
  detail: "A fault of the test refused the request",
  retry_after: 1
})

/** Applies the faults of a test to requests to the API, for tokens of apps, and to the MCP server. */
export const layer = (faults: Faults): Layer.Layer<never, never, HttpRouter.HttpRouter> =>
  HttpRouter.middleware(
    (handler) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        if (!/^\/(?:v2\/|oauth\/|mcp\b)/.test(request.url)) return yield* handler
        const name = `${request.method} ${request.url}`
        const close = () => void NodeHttpServerRequest.toServerResponse(request).destroy()
        const { isLost, isUnavailable, latency } = faults.ofRequest(name)
        // In real time: the test's clock does not move by itself.
        if (latency > 0) {
          yield* Effect.provideService(Effect.sleep(latency), Clock.Clock, Clock.Clock.defaultValue())
        }
        if (isUnavailable) return yield* problemOf(unavailable)
        const response = yield* handler
        if (isLost) close()
        const { body } = response
        if (body._tag !== "Stream" || body.contentType !== "text/event-stream") return response
        let left = faults.ofStream(name)
        if (left === Infinity) return response
        const cut = Stream.tap(body.stream, () => Effect.sync(() => void (left-- === 0 && close())))
        return HttpServerResponse.setBody(response, HttpBody.stream(cut, body.contentType))
      }),
    { global: true }
  )
