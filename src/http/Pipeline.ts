import { Layer } from "effect"
import { AuthorizationHttp } from "./AuthorizationHttp.ts"
import { ConventionsHttp } from "./ConventionsHttp.ts"
import * as Edge from "./Edge.ts"
import { IdempotencyHttp } from "./IdempotencyHttp.ts"
import { ProblemsHttp } from "./ProblemsHttp.ts"

/**
 * The way of a request, from the socket to its handler; answers go back the same way. What a station leaves for others
 * is in `RequestState.ts`.
 *
 * 1. Connections: is there room for the socket, and does it go on?
 * 2. Admission: whose turn is it? Before anything is known but the head of the request.
 * 3. Edge: an id, a host, a size that can be; CORS and compression; a count and a line in the log.
 * 4. Problems: what fails from here on becomes its problem.
 * 5. Authorization: who is it (Credentials), how often may they (RateLimitHttp), and may they do this?
 * 6. Conventions: what may be sent and answered: types, JSON, strict handling, room for large bodies.
 * 7. Idempotency: was it done before?
 *
 * The first two stand before HTTP, in the listener of `Server.ts`. The order from 5 on is `signedIn` of
 * `src/api/Pipeline.ts`.
 */
export const stations = Layer.mergeAll(ProblemsHttp, AuthorizationHttp, ConventionsHttp, IdempotencyHttp)

/** Goes around all routes, those beside the API too. */
export const edge = Edge.around
