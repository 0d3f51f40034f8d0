import type { HttpServerRequest } from "effect/http"
import { stateOf } from "../server/RequestState.ts"

type Request = HttpServerRequest.HttpServerRequest

const strictHandling = /(?:^|,)\s*handling\s*=\s*"?strict"?\s*(?:[,;]|$)/i

/** Whether the client prefers strict handling (RFC 7240, section 4.4). */
export const isStrict = ({ headers: { prefer } }: Request): boolean =>
  prefer !== undefined && strictHandling.test(prefer)

/** Records that the request was handled strictly. */
export const preferStrictly = (request: Request): void => {
  stateOf(request.source).isStrict = true
}

/** The value of Preference-Applied; undefined if no preference was applied. */
export const preferenceApplied = (request: Request): string | undefined =>
  stateOf(request.source).isStrict ? "handling=strict" : undefined
