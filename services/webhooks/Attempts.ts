import type { KeyObject } from "node:crypto"
import { Clock, Effect, Random } from "effect"
import { type NoAnswer, type OutgoingAnswer, Refused } from "../outgoing/Answer.ts"
import { Outgoing } from "../outgoing/Outgoing.ts"
import type { Secrets } from "../storage/Secrets.ts"
import type { DeliveryRequest, DeliveryResponse } from "./Delivery.ts"
import { keptBytes } from "./Delivery.ts"
import { delayAfter, retryAfterOf } from "./RetryPolicy.ts"
import { signatureOf, signerOf } from "./Signature.ts"

/** A delivery that is to be tried. */
export interface Due {
  readonly id: string
  readonly event_id: string
  readonly event_type: string
  /** The tries that were made. */
  readonly attempt: number
  readonly body: string
}

/** What a try needs to know of its webhook. */
export interface Endpoint {
  readonly url: string
  /** Each of them signs. */
  readonly signers: ReadonlyArray<KeyObject>
}

interface Sealed {
  readonly secret: string
  readonly previous_secret: string | null
}

/** The secrets of a webhook; none, where they were sealed with a SECRET_KEY that is not known any more. */
export const openAll = (secrets: Secrets["Service"], { previous_secret, secret }: Sealed): ReadonlyArray<string> => {
  try {
    return [secret, previous_secret].flatMap((sealed) => (sealed === null ? [] : [secrets.open("webhook", sealed)]))
  } catch {
    return []
  }
}

/** What signs for it. */
export const signersOf = (secrets: Secrets["Service"], sealed: Sealed): ReadonlyArray<KeyObject> =>
  openAll(secrets, sealed).map(signerOf)

const unsigned = new Refused({ message: "its secret was sealed with another SECRET_KEY: give it a new one" })

/** What came of a try, as it is stored. */
export interface Tried {
  readonly id: string
  readonly attempt: number
  readonly status: "pending" | "succeeded" | "failed"
  readonly status_code: number | null
  readonly latency_ms: number
  readonly error: string | null
  readonly next_attempt_at: string | null
  readonly request: Omit<DeliveryRequest, "body">
  readonly response: DeliveryResponse | null
  /** What is kept of the body, where that is less than all of it. */
  readonly kept: string | null
}

/** The endpoint asks for no more (contract 9). */
export const gone = 410

const userAgent = "Sheaf (Standard Webhooks)"
/** What an answer may set or repeat that is a secret. */
const secretHeaders = /^(set-cookie2?|cookie|authorization|proxy-.*|www-authenticate)$/

/** So many bytes of a text, and no half character at the end. */
export const cutText = (text: string): string => {
  if (text.length * 3 <= keptBytes) return text
  const bytes = Buffer.from(text)
  if (bytes.length <= keptBytes) return text
  let end = keptBytes
  while ((bytes[end]! & 0xc0) === 0x80) end--
  return bytes.toString("utf8", 0, end)
}

const responseOf = ({ body, headers }: OutgoingAnswer): DeliveryResponse => ({
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !secretHeaders.test(name))),
  // PostgreSQL keeps no NUL.
  body: Buffer.from(body.subarray(0, keptBytes)).toString().replaceAll("\0", "\ufffd")
})

/**
 * One try: signed by Standard Webhooks 1.0, sent, and told what came of it. `isLast`: whatever comes of it, there is no
 * other.
 */
export const attempt = Effect.fnUntraced(function* (endpoint: Endpoint, due: Due, isLast = false) {
  const outgoing = yield* Outgoing
  const now = yield* Clock.currentTimeMillis
  const seconds = Math.floor(now / 1000)
  const headers = {
    "content-type": "application/json",
    "user-agent": userAgent,
    "webhook-id": due.event_id,
    "webhook-timestamp": String(seconds)
  }
  const startedAt = performance.now()
  const sent: Effect.Effect<OutgoingAnswer, Refused | NoAnswer> =
    endpoint.signers.length === 0
      ? Effect.fail(unsigned)
      : outgoing.request({
          url: endpoint.url,
          method: "POST",
          headers: { ...headers, "webhook-signature": signatureOf(endpoint.signers, due.event_id, seconds, due.body) },
          body: due.body,
          maxBytes: keptBytes
        })
  const { answer, error } = yield* Effect.match(sent, {
    onSuccess: (answer) => ({
      answer,
      error: answer.status >= 200 && answer.status < 300 ? null : `the endpoint answered ${answer.status}`
    }),
    onFailure: (failure) => ({
      answer: failure._tag === "NoAnswer" ? failure.begun : undefined,
      error: failure.message
    })
  })
  const latency_ms = Math.round(performance.now() - startedAt)
  const attempts = due.attempt + 1
  const after = yield* Clock.currentTimeMillis
  const delay =
    error === null || isLast || answer?.status === gone
      ? undefined
      : delayAfter(attempts, yield* Random.next, retryAfterOf(answer?.headers["retry-after"], after))
  const isOver = delay === undefined
  const kept = isOver ? cutText(due.body) : due.body
  const tried: Tried = {
    id: due.id,
    attempt: attempts,
    status: error === null ? "succeeded" : isOver ? "failed" : "pending",
    status_code: answer?.status ?? null,
    latency_ms,
    error,
    next_attempt_at: isOver ? null : new Date(after + delay).toISOString(),
    request: { url: endpoint.url, headers },
    response: answer === undefined ? null : responseOf(answer),
    kept: kept === due.body ? null : kept
  }
  return tried
})
