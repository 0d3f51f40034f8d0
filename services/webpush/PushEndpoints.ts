import { Cache, Data, Effect } from "effect"
import { hash } from "node:crypto"
import { RoundRobinSemaphore } from "../concurrency/RoundRobinSemaphore.ts"
import type { NoResponse, OutgoingResponse, Refused } from "../outgoing/OutgoingResponse.ts"

/**
 * Maximum number of concurrent requests, in all and per user: to endpoints whose last response took less than a second,
 * and to all others. So a new endpoint, or one that hangs, does not take the place of responsive ones.
 */
export const permits = {
  fast: { permits: 48, permitsPerGroup: 8 },
  slow: { permits: 48, permitsPerGroup: 4 }
} as const
/** Enough for four messages to 100 devices per user. */
const waiting = { maxWaiting: 2_000, maxWaitingPerKey: 400, detail: "too many push services are slow" }

/** Milliseconds within which a fast endpoint responds. */
const fastWithin = 1_000
/** Number of timeouts in a row after which an endpoint is paused. */
const maxTimeouts = 3
/** How long the state of an endpoint is kept, and so how long it is paused. */
const life = "1 hour"
const maxKnown = 10_000

/** The state of an endpoint on this node. */
interface Known {
  readonly isFast: boolean
  /** Number of requests in a row that timed out. */
  readonly timeouts: number
}

const unknown: Known = { isFast: false, timeouts: 0 }

/** Nothing was sent; a later attempt may succeed. */
export class Postponed extends Data.TaggedError("Postponed")<{ readonly message: string }> {}

const paused = new Postponed({ message: `the push service timed out ${maxTimeouts} times in a row, and is paused` })

/**
 * Sends to the endpoints of subscriptions. Users share the concurrent requests fairly (contract 2). Endpoints that do
 * not respond are paused, so that they do not delay messages of other users.
 */
export const make = Effect.gen(function* () {
  const fast = new RoundRobinSemaphore({ ...permits.fast, ...waiting })
  const slow = new RoundRobinSemaphore({ ...permits.slow, ...waiting })
  const all = yield* Cache.make<string, Known>({
    capacity: maxKnown,
    timeToLive: life,
    lookup: () => Effect.succeed(unknown)
  })

  /** The state of an endpoint, unless it is paused. */
  const unlessPaused = (id: string) =>
    Effect.filterOrFail(
      Cache.get(all, id),
      ({ timeouts }) => timeouts < maxTimeouts,
      () => paused
    )

  const timed = Effect.fnUntraced(function* (
    id: string,
    request: Effect.Effect<OutgoingResponse, Refused | NoResponse>
  ) {
    // It may have been paused while this request waited.
    const { timeouts } = yield* unlessPaused(id)
    const startedAt = performance.now()
    const record = (isTimeout: boolean) =>
      Cache.set(all, id, {
        isFast: performance.now() - startedAt < fastWithin,
        // Requests that time out together count as one.
        timeouts: isTimeout ? timeouts + 1 : 0
      })
    return yield* request.pipe(
      Effect.tap(() => record(false)),
      Effect.tapError((error) => record(error._tag === "NoResponse" && error.code === "timeout"))
    )
  })

  /** Sends a request to an endpoint of a user, after waiting for a permit. */
  return Effect.fnUntraced(function* (
    user_id: string,
    endpoint: string,
    request: Effect.Effect<OutgoingResponse, Refused | NoResponse>
  ) {
    // As a hash: an endpoint may have 2 KB.
    const id = hash("sha256", endpoint, "base64url")
    const { isFast } = yield* unlessPaused(id)
    const permitted = (isFast ? fast : slow).withPermit(user_id, timed(id, request))
    return yield* Effect.catchTag(permitted, "Unavailable", ({ detail }) => new Postponed({ message: detail }))
  })
})
