import type { HttpServerRequest } from "effect/http"

type Request = HttpServerRequest.HttpServerRequest

/** Kept on the request itself, as its id is. */
const strict = Symbol("sheaf/http/strict")

const strictHandling = /(?:^|,)\s*handling\s*=\s*"?strict"?\s*(?:[,;]|$)/i

/** Whether the client asks for strict handling (RFC 7240, section 4.4). */
export const isStrict = ({ headers: { prefer } }: Request): boolean =>
  prefer !== undefined && strictHandling.test(prefer)

/** Remembers that the request was handled strictly. */
export const preferStrictly = (request: Request): void => {
  ;(request.source as { [strict]?: true })[strict] = true
}

/** What Preference-Applied says of the request; undefined when no preference was. */
export const preferenceApplied = (request: Request): string | undefined =>
  (request.source as { [strict]?: true })[strict] === true ? "handling=strict" : undefined
