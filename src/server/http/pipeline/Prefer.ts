import type { HttpServerRequest } from "effect/http"
import { stateOf } from "../server/RequestState.ts"

type Request = HttpServerRequest.HttpServerRequest

const strictHandling = /(?:^|,)\s*handling\s*=\s*"?strict"?\s*(?:[,;]|$)/i
const dryRun = /(?:^|,)\s*dry-run\s*(?:[,;=]|$)/i

/** Whether the client prefers strict handling (RFC 7240, section 4.4). */
export const isStrict = ({ headers: { prefer } }: Request): boolean =>
  prefer !== undefined && strictHandling.test(prefer)

/** Whether the client wants the response without the change (contract 2, Dry run). */
export const isDry = ({ headers: { prefer } }: Request): boolean => prefer !== undefined && dryRun.test(prefer)

/** Records that the request was handled strictly. */
export const preferStrictly = (request: Request): void => {
  stateOf(request.source).isStrict = true
}

/** Records that nothing of the request was stored. */
export const preferDryRun = (request: Request): void => {
  stateOf(request.source).isDry = true
}

/** The value of Preference-Applied; undefined if no preference was applied. */
export const preferenceApplied = (request: Request): string | undefined => {
  const { isDry, isStrict } = stateOf(request.source)
  const applied = [...(isStrict ? ["handling=strict"] : []), ...(isDry ? ["dry-run"] : [])]
  return applied.length === 0 ? undefined : applied.join(", ")
}
