import type { Credential } from "../../../services/identity/Credentials.ts"
import type { Standing } from "../../../services/limits/Limits.ts"
import type { ProblemCode } from "../../../services/ProblemCodes.ts"

/** What the stations of a request's way (`Pipeline.ts`) leave for each other and for its answer. */
export interface RequestState {
  /** Gives its permit of the admission to the next request (`Admission.ts`). */
  release: (() => void) | undefined
  /** Whether it was sent before the response to the request before it: it is not processed. */
  isPipelined: boolean
  /** Its id: the client's own, or a new one. */
  id: string | undefined
  /** The code of the problem that it was answered with. */
  problemCode: ProblemCode | undefined
  /** Whether it failed because the database cannot be reached. */
  isOutage: boolean
  /** The credential that it was sent with, once it is found to be good in the workspace of the call. */
  credential: Credential | undefined
  /** How the limits stand that it was counted against. */
  standing: Standing | undefined
  /** Whether it was handled strictly. */
  isStrict: boolean
  /** Whether it is an upload that may come: it may take as long as it goes on. */
  isLetIn: boolean
}

const key = Symbol("sheaf/http/server/RequestState")

/**
 * Kept on Node's own request: the collector lets go of what a WeakMap holds far later than of the request, and a map of
 * those under way would be rebuilt all the time.
 */
export const stateOf = (source: object): RequestState => {
  const holder = source as { [key]?: RequestState }
  return (holder[key] ??= {
    release: undefined,
    isPipelined: false,
    id: undefined,
    problemCode: undefined,
    isOutage: false,
    credential: undefined,
    standing: undefined,
    isStrict: false,
    isLetIn: false
  })
}
