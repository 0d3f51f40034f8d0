import type { KeyObject } from "node:crypto"
import { Cause, Clock, Effect, Exit, Random } from "effect"
import { Randomness } from "../Randomness.ts"
import type { OutgoingResponse } from "../outgoing/OutgoingResponse.ts"
import { Outgoing, type Target } from "../outgoing/Outgoing.ts"
import type { DeliveryRequest, DeliveryResponse } from "./Delivery.ts"
import { keptBytes, storedResponseBytes } from "./Delivery.ts"
import { delayAfter, retryAfterOf } from "./RetryPolicy.ts"
import { signatureOf } from "./Signature.ts"

/** An attempt that is to be made. */
export interface Due {
  readonly id: string
  readonly event_id: string
  readonly event_type: string
  readonly resource_id: string
  readonly created_at: string
  /** Its number among the attempts of its event, from 1. */
  readonly attempt: number
  readonly body: string
  /** When the body was read, in milliseconds on the clock of this process. */
  readonly readAt: number
}

/** The settings of a webhook that an attempt needs. */
export interface Endpoint {
  readonly url: string
  readonly target: Target
  /** Each key adds a signature. */
  readonly signers: ReadonlyArray<KeyObject>
}

const unsigned = "the secret of the webhook was encrypted with another SECRET_KEY: set a new secret"

/** An attempt that is due later. */
export interface Waiting extends Due {
  readonly next_attempt_at: string
}

/** The result of an attempt, as it is stored. */
export interface Tried {
  readonly status: "succeeded" | "failed"
  readonly status_code: number | null
  readonly latency_ms: number
  readonly error: string | null
  readonly request: Omit<DeliveryRequest, "body">
  readonly response: DeliveryResponse | null
  /** The next attempt, stored in the same statement; null if there is none. */
  readonly next: Waiting | null
}

/** The status of an endpoint that wants no more deliveries (contract 9). */
export const gone = 410

const userAgent = "Sheaf (Standard Webhooks)"
/** Response headers that may contain secrets. */
const secretHeaders = /^(set-cookie2?|cookie|authorization|proxy-.*|www-authenticate)$/

const responseOf = ({ body, headers }: OutgoingResponse): DeliveryResponse => {
  let room = storedResponseBytes
  const stored = Object.entries(headers).filter(([name, value]) => {
    if (secretHeaders.test(name)) return false
    room -= name.length + value.length
    return room >= 0
  })
  // PostgreSQL cannot store NUL.
  const text = Buffer.from(body.subarray(0, storedResponseBytes)).toString().replaceAll("\0", "\ufffd")
  return { headers: Object.fromEntries(stored), body: text }
}

/**
 * Returns a function that makes an attempt: it signs by Standard Webhooks 1.0, sends, calls `ended` once with the result,
 * and returns a function that cancels the attempt. It uses no fibers, because there are thousands of attempts a second.
 */
export const make = Effect.gen(function* () {
  const outgoing = yield* Outgoing
  const clock = yield* Clock.Clock
  const random = yield* Random.Random
  const randomness = yield* Randomness

  /** `isLast`: there is no other attempt, whatever the result. */
  const triedOf = (
    endpoint: Endpoint,
    due: Due,
    headers: Readonly<Record<string, string>>,
    latency_ms: number,
    isLast: boolean,
    received: OutgoingResponse | undefined,
    error: string | null
  ): Tried => {
    const now = clock.currentTimeMillisUnsafe()
    const delay =
      error === null || isLast || received?.status === gone
        ? undefined
        : delayAfter(due.attempt, random.nextDoubleUnsafe(), retryAfterOf(received?.headers["retry-after"], now))
    return {
      status: error === null ? "succeeded" : "failed",
      status_code: received?.status ?? null,
      latency_ms,
      error,
      request: { url: endpoint.url, headers },
      response: received === undefined ? null : responseOf(received),
      next:
        delay === undefined
          ? null
          : {
              ...due,
              id: randomness.id("dl", now),
              attempt: due.attempt + 1,
              created_at: new Date(now).toISOString(),
              next_attempt_at: new Date(now + delay).toISOString()
            }
    }
  }

  return (endpoint: Endpoint, due: Due, isLast: boolean, ended: (tried: Exit.Exit<Tried>) => void) => {
    const seconds = Math.floor(clock.currentTimeMillisUnsafe() / 1000)
    const headers = {
      "content-type": "application/json",
      "user-agent": userAgent,
      "webhook-id": due.event_id,
      "webhook-timestamp": String(seconds)
    }
    const startedAt = performance.now()
    const done = (received: OutgoingResponse | undefined, error: string | null) => {
      const latency = Math.round(performance.now() - startedAt)
      ended(Exit.succeed(triedOf(endpoint, due, headers, latency, isLast, received, error)))
    }
    if (endpoint.signers.length === 0) {
      done(undefined, unsigned)
      return () => {}
    }
    const body = Buffer.from(due.body)
    return outgoing.send(
      endpoint.target,
      {
        method: "POST",
        headers: { ...headers, "webhook-signature": signatureOf(endpoint.signers, due.event_id, seconds, body) },
        body,
        maxBytes: keptBytes
      },
      (outcome) => {
        if (Exit.isSuccess(outcome)) {
          const { status } = outcome.value
          return done(outcome.value, status >= 200 && status < 300 ? null : `the endpoint responded with ${status}`)
        }
        const failed = outcome.cause.reasons.find(Cause.isFailReason)?.error
        if (failed === undefined) return ended(Exit.die(Cause.squash(outcome.cause)))
        done(failed._tag === "NoResponse" ? failed.begun : undefined, failed.message)
      }
    )
  }
})
