import type { Credential } from "../../../../services/identity/Credentials.ts"
import type { Standing } from "../../../../services/limits/Limits.ts"
import type { ProblemCode } from "../../../../services/ProblemCodes.ts"

/** State of a request that the stations of the pipeline (`Pipeline.ts`) share. */
export interface RequestState {
  /** Releases its permit of the admission (`Admission.ts`). */
  release: (() => void) | undefined
  /** Whether it was sent before the response to the previous request, and is therefore not processed. */
  isPipelined: boolean
  /** Its id: from the client, or a new one. */
  id: string | undefined
  /** The code of the problem in its response. */
  problemCode: ProblemCode | undefined
  /** Whether it failed because the database cannot be reached. */
  isOutage: boolean
  /** Its credential, once it is known to be valid in the workspace of the call. */
  credential: Credential | undefined
  /** The quotas of the limits that it was counted against. */
  standing: Standing | undefined
  /** Whether it was handled strictly. */
  isStrict: boolean
  /** Whether nothing of it was stored. */
  isDry: boolean
  /** The MCP tool that it calls. */
  tool: string | undefined
  /** Whether it is an accepted upload, which may take any time while bytes arrive. */
  isAcceptedUpload: boolean
}

const key = Symbol("sheaf/http/server/RequestState")

/**
 * Stored on Node's request: values of a WeakMap are collected much later than the request, and a Map of requests in
 * progress would be rebuilt all the time.
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
    isDry: false,
    tool: undefined,
    isAcceptedUpload: false
  })
}
