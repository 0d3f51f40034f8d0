import { type HttpServerRequest, HttpServerResponse } from "effect/http"

/** Response headers that scripts of other origins may read. */
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
 * Any origin may call, because the API uses no cookies, and a bearer credential may be used anywhere. Browsers do not
 * accept the wildcard for requests with cookies.
 */
export const headers = { "access-control-allow-origin": "*", "access-control-expose-headers": exposed }

/** Whether a request is a CORS-preflight request (Fetch standard). */
export const isPreflight = ({ headers, method }: HttpServerRequest.HttpServerRequest): boolean =>
  method === "OPTIONS" && headers["origin"] !== undefined && headers["access-control-request-method"] !== undefined

export const preflight = (request: HttpServerRequest.HttpServerRequest) =>
  HttpServerResponse.empty({
    status: 204,
    headers: {
      "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
      // The wildcard would not cover Authorization.
      "access-control-allow-headers":
        request.headers["access-control-request-headers"] ?? "Authorization, Content-Type",
      "access-control-max-age": "86400",
      vary: "Origin, Access-Control-Request-Headers"
    }
  })
