import type { Cause } from "effect"
import { HttpServerError } from "effect/http"
import { Unavailable } from "../../../../services/Errors.ts"

/** The error of a request that the stop of the server has interrupted. */
export const stopped = new Unavailable({
  code: "service_unavailable",
  detail: "The server stopped before the request was complete",
  retry_after: 2
})

/** Whether a request was interrupted because its client has disconnected. */
export const isAborted = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some(({ annotations }) => annotations.has(HttpServerError.ClientAbort.key))
