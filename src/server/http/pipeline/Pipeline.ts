import { Layer } from "effect"
import { AuthorizationHttp } from "./AuthorizationHttp.ts"
import { RequestValidationHttp } from "./RequestValidationHttp.ts"
import * as Edge from "./Edge.ts"
import { IdempotencyHttp } from "./IdempotencyHttp.ts"
import { ProblemsHttp } from "./ProblemsHttp.ts"

/**
 * The stations of a request from the socket to its handler; the response passes them in reverse order. State that they
 * share is in `RequestState.ts`.
 *
 * 1. Connections: limits on sockets, before HTTP (`Server.ts`).
 * 2. Edge: request id, host, size of the body, CORS, compression, metrics, log line.
 * 3. Admission: the fair queue of callers. Only the head of the request is known.
 * 4. Problems: turns each failure of the following stations into a problem.
 * 5. Authorization: credentials (Credentials), rate limits (RateLimitHttp), scopes and roles.
 * 6. Conventions: media types, JSON, strict handling, memory for large bodies.
 * 7. Idempotency: returns the stored response to a repeated key.
 *
 * The order from 5 on is `signedIn` of `src/server/api/Middlewares.ts`.
 */
export const stations = Layer.mergeAll(ProblemsHttp, AuthorizationHttp, RequestValidationHttp, IdempotencyHttp)

/** Wraps all routes, also those outside the API. */
export const edge = Edge.around
