import type { KeyObject } from "node:crypto"
import { Cause, Clock, Effect, Exit, Random } from "effect"
import * as Ids from "../Ids.ts"
import type { OutgoingAnswer } from "../outgoing/Answer.ts"
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

/** What a try needs to know of its webhook. */
export interface Endpoint {
  readonly url: string
  readonly target: Target
  /** Each of them signs. */
  readonly signers: ReadonlyArray<KeyObject>
}

const unsigned = "its secret was sealed with another SECRET_KEY: give it a new one"

/** An attempt that waits for its time. */
export interface Waiting extends Due {
  readonly next_attempt_at: string
}

/** What came of an attempt, as it is stored. */
export interface Tried {
  readonly status: "succeeded" | "failed"
  readonly status_code: number | null
  readonly latency_ms: number
  readonly error: string | null
  readonly request: Omit<DeliveryRequest, "body">
  readonly response: DeliveryResponse | null
  /** The attempt that follows, stored in the same step; null when none does. */
  readonly next: Waiting | null
}

/** The endpoint asks for no more (contract 9). */
export const gone = 410

const userAgent = "Sheaf (Standard Webhooks)"
/** What an answer may set or repeat that is a secret. */
const secretHeaders = /^(set-cookie2?|cookie|authorization|proxy-.*|www-authenticate)$/

const responseOf = ({ body, headers }: OutgoingAnswer): DeliveryResponse => {
  let room = storedResponseBytes
  const stored = Object.entries(headers).filter(([name, value]) => {
    if (secretHeaders.test(name)) return false
    room -= name.length + value.length
    return room >= 0
  })
  // PostgreSQL keeps no NUL.
  const text = Buffer.from(body.subarray(0, storedResponseBytes)).toString().replaceAll("\0", "\ufffd")
  return { headers: Object.fromEntries(stored), body: text }
}

/**
 * What makes tries: signs by Standard Webhooks 1.0, sends, and tells once what came of it, at once or later. It answers
 * with what abandons the try. No fiber for each, as there are thousands of them in a second.
 */
export const make = Effect.gen(function* () {
  const outgoing = yield* Outgoing
  const clock = yield* Clock.Clock
  const random = yield* Random.Random

  /** `isLast`: whatever comes of it, there is no other. */
  const triedOf = (
    endpoint: Endpoint,
    due: Due,
    headers: Readonly<Record<string, string>>,
    latency_ms: number,
    isLast: boolean,
    answer: OutgoingAnswer | undefined,
    error: string | null
  ): Tried => {
    const now = clock.currentTimeMillisUnsafe()
    const delay =
      error === null || isLast || answer?.status === gone
        ? undefined
        : delayAfter(due.attempt, random.nextDoubleUnsafe(), retryAfterOf(answer?.headers["retry-after"], now))
    return {
      status: error === null ? "succeeded" : "failed",
      status_code: answer?.status ?? null,
      latency_ms,
      error,
      request: { url: endpoint.url, headers },
      response: answer === undefined ? null : responseOf(answer),
      next:
        delay === undefined
          ? null
          : {
              ...due,
              id: Ids.make("dl", now),
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
    const done = (answer: OutgoingAnswer | undefined, error: string | null) => {
      const latency = Math.round(performance.now() - startedAt)
      ended(Exit.succeed(triedOf(endpoint, due, headers, latency, isLast, answer, error)))
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
          return done(outcome.value, status >= 200 && status < 300 ? null : `the endpoint answered ${status}`)
        }
        const failed = outcome.cause.reasons.find(Cause.isFailReason)?.error
        if (failed === undefined) return ended(Exit.die(Cause.squash(outcome.cause)))
        done(failed._tag === "NoAnswer" ? failed.begun : undefined, failed.message)
      }
    )
  }
})
