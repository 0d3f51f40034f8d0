import { Effect } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { problem } from "../responses/Problem.ts"

type Response = HttpServerResponse.HttpServerResponse

/** Reads the form of a page (`application/x-www-form-urlencoded`). Other media types are refused with a problem. */
export const withForm = Effect.fnUntraced(function* <E, R>(
  handle: (form: URLSearchParams) => Effect.Effect<Response, E, R>
) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const type = request.headers["content-type"]?.split(";", 1)[0]!.trim().toLowerCase()
  if (type !== "application/x-www-form-urlencoded") {
    return yield* problem({
      status: 415,
      code: "unsupported_media_type",
      detail: "Send the form as application/x-www-form-urlencoded"
    })
  }
  return yield* handle(new URLSearchParams(yield* Effect.orDie(request.text)))
})

/** Like `withForm`, for values that are stored: refuses invalid UTF-8, so that no changed text is stored. */
export const withStoredForm = <E, R>(handle: (form: URLSearchParams) => Effect.Effect<Response, E, R>) =>
  withForm<E, R | HttpServerRequest.HttpServerRequest>((form) =>
    form.values().some((value) => value.includes("\ufffd"))
      ? problem({ status: 400, code: "malformed_request", detail: "Send the form in UTF-8" })
      : handle(form)
  )

/** Whether a page of this server has sent a form. Other sites cannot change the headers by which browsers say so. */
export const isOwnForm = ({ headers }: HttpServerRequest.HttpServerRequest, publicUrl: string): boolean => {
  const site = headers["sec-fetch-site"]
  if (site !== undefined) return site === "same-origin"
  // Browsers send it by HTTPS, and to the own machine, only. Behind a proxy, the host may be another one.
  const from = URL.parse(headers["origin"] ?? "")
  return from !== null && (from.host === headers["host"] || from.origin === new URL(publicUrl).origin)
}
