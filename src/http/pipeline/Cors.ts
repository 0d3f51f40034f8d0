import { type HttpServerRequest, HttpServerResponse } from "effect/http"

/** Headers of answers that scripts of other origins may read. */
const exposed = [
  "Accept-Ranges",
  "Content-Disposition",
  "Content-Length",
  "Content-Range",
  "ETag",
  "Link",
  "Location",
  "Request-Id",
  "Retry-After",
  "Deprecation",
  "Idempotent-Replayed",
  "Preference-Applied",
  "RateLimit",
  "RateLimit-Policy",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "WWW-Authenticate"
].join(", ")

/**
 * Any origin may call, for nothing is taken from cookies: who holds a bearer credential may use it anywhere. So the
 * wildcard stands, which browsers do not let go together with credentials of their own.
 */
export const headers = { "access-control-allow-origin": "*", "access-control-expose-headers": exposed }

/** What a browser asks before a request that it would not send without leave (Fetch, CORS-preflight request). */
export const isPreflight = ({ headers, method }: HttpServerRequest.HttpServerRequest): boolean =>
  method === "OPTIONS" && headers["origin"] !== undefined && headers["access-control-request-method"] !== undefined

export const preflight = (request: HttpServerRequest.HttpServerRequest) =>
  HttpServerResponse.empty({
    status: 204,
    headers: {
      "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
      // The wildcard would leave Authorization out.
      "access-control-allow-headers":
        request.headers["access-control-request-headers"] ?? "Authorization, Content-Type",
      "access-control-max-age": "86400",
      vary: "Origin, Access-Control-Request-Headers"
    }
  })
