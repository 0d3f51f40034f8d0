import { Context, Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/http"
import { RoundRobinSemaphore } from "../../../../services/concurrency/RoundRobinSemaphore.ts"
import type { Unavailable } from "../../../../services/Errors.ts"
import { networkOf } from "../../../../services/limits/Network.ts"
import { ClientAddress } from "./ClientAddress.ts"
import { stateOf } from "./RequestState.ts"

type Request = HttpServerRequest.HttpServerRequest

export interface Limits {
  /** Maximum number of requests of one caller that are processed at a time. */
  readonly perCaller: number
  /** The same for all callers together. */
  readonly total: number
  /** Maximum number of waiting requests, of one caller and in all; more are refused. */
  readonly maxWaitingPerCaller: number
  readonly maxWaiting: number
  /** Maximum number of cached credentials; the oldest one is evicted first. */
  readonly maxKnown: number
}

export const defaults: Limits = {
  perCaller: 16,
  total: 1_000,
  maxWaitingPerCaller: 1_000,
  maxWaiting: 20_000,
  maxKnown: 20_000
}

const secretOf = (authorization: string): string => authorization.slice(authorization.lastIndexOf(" ") + 1)

const isHealth = ({ url }: Request): boolean => url === "/healthz" || url === "/readyz"

/** Calls of MCP tools are writes, unless the address allows no others: only the body names the tool in each revision. */
const isRead = ({ method, url }: Request): boolean =>
  method === "GET" ||
  method === "HEAD" ||
  url.startsWith("/v2/sync/pull") ||
  url.startsWith("/v2/search") ||
  url === "/mcp?mode=read"

/**
 * Shares the server fairly between callers, based on the head of a request: a limited number of requests of each caller
 * are processed at a time, the others wait, and callers take turns. A caller is the user whose credential was accepted
 * before, else a network. The writes of a user do not delay the user's reads (contract 2).
 */
export class Admission extends Context.Service<
  Admission,
  {
    /** Processes a request at its caller's turn; fails with `overloaded` if too many wait, or one waits too long. */
    readonly admit: <A, E, R>(
      request: Request,
      processing: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | Unavailable, R>
    /** Records the user of an accepted credential. */
    readonly know: (secret: string, user_id: string) => void
    /** The number of waiting requests. */
    readonly waiting: () => number
  }
>()("sheaf/http/server/Admission") {
  static readonly layer = (limits: Limits) =>
    Layer.effect(
      Admission,
      Effect.gen(function* () {
        const addressOf = yield* ClientAddress
        const users = new Map<string, string>()
        const semaphore = new RoundRobinSemaphore({
          permits: limits.total,
          permitsPerKey: limits.perCaller,
          maxWaiting: limits.maxWaiting,
          maxWaitingPerKey: limits.maxWaitingPerCaller,
          detail: "Too many of your requests are waiting"
        })

        const callerOf = (request: Request): string => {
          const { authorization } = request.headers
          const user = authorization === undefined ? undefined : users.get(secretOf(authorization))
          if (user !== undefined) return `${user} ${isRead(request) ? "reads" : "writes"}`
          return networkOf(addressOf(request))
        }

        return Admission.of({
          admit: (request, processing) =>
            isHealth(request)
              ? processing
              : semaphore.withReleasablePermit(callerOf(request), (release) => {
                  stateOf(request.source).release = release
                  return processing
                }),
          know: (secret, user_id) => {
            if (users.get(secret) === user_id) return
            if (users.size >= limits.maxKnown) users.delete(users.keys().next().value!)
            users.set(secret, user_id)
          },
          waiting: () => semaphore.waiting
        })
      })
    )
}

/** Releases the permit of a request that only waits for changes, so that another request of its caller is processed. */
export const releasePermit = (request: Request): void => stateOf(request.source).release?.()
