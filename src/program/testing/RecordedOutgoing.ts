import { Effect, Exit, Layer } from "effect"
import { Outgoing, type OutgoingRequest, requestBy, type Target } from "../../../services/outgoing/Outgoing.ts"
import type { OutgoingResponse } from "../../../services/outgoing/OutgoingResponse.ts"
import type { Faults } from "./Faults.ts"
import type { PushDevices } from "./PushDevices.ts"
import { record, type Recordings } from "./Recording.ts"

/** Records the requests that an instance sends. The chances of failures are read from here. */
export interface Sent extends Recordings {
  readonly devices: PushDevices
  readonly faults: Faults
}

/** Hosts of this machine, to which requests are really sent. */
export const loopback = ["localhost", "127.0.0.0/8", "::1"]

const isLocal = ({ origin }: Target): boolean => /^https?:\/\/(localhost|127\.[0-9.]+|\[::1\])(:\d+)?$/.test(origin)

const noContent: OutgoingResponse = { status: 204, headers: {}, body: new Uint8Array(0), isCut: false }

const recorded = (
  { deliveries, devices, pushes }: Sent,
  { origin, path }: Target,
  { body = "", headers }: Omit<OutgoingRequest, "url">,
  status: number | null
): void => {
  const url = origin + path
  if (headers["content-encoding"] === "aes128gcm") {
    const { topic = null, ttl, urgency = null } = headers
    record(pushes, { endpoint: url, ttl: Number(ttl), urgency, topic, payload: devices.read(url, Buffer.from(body)) })
    return
  }
  const raw = Buffer.from(body).toString()
  record(deliveries, { url, headers, raw, body: JSON.parse(raw), status })
}

/**
 * Records requests of webhooks and Web Push. Requests to this machine are really sent. All others stay in the process,
 * and the response is 204: a test sends nothing to the network. `real`: sends, with `loopback` allowed.
 */
export const layer = (sent: Sent, real: Layer.Layer<Outgoing>): Layer.Layer<Outgoing> =>
  Layer.effect(
    Outgoing,
    Effect.map(Outgoing, ({ check, send: sendReally, target }) => {
      const send: Outgoing["Service"]["send"] = (target, request, ended) => {
        if (target.refusal !== undefined) return sendReally(target, request, ended)
        const fault = sent.faults.ofDelivery(target.origin + target.path)
        if (fault === "failed") {
          const response = { ...noContent, status: 503 }
          const later = setImmediate(() => {
            recorded(sent, target, request, response.status)
            ended(Exit.succeed(response))
          })
          return () => clearImmediate(later)
        }
        const once = (ended: Parameters<typeof sendReally>[2]) => {
          if (isLocal(target)) {
            return sendReally(target, request, (outcome) => {
              recorded(sent, target, request, Exit.isSuccess(outcome) ? outcome.value.status : null)
              ended(outcome)
            })
          }
          const later = setImmediate(() => {
            recorded(sent, target, request, noContent.status)
            ended(Exit.succeed(noContent))
          })
          return () => clearImmediate(later)
        }
        // The receiver gets it twice: the response to the first was lost.
        return fault === "doubled" ? once(() => void once(ended)) : once(ended)
      }
      return Outgoing.of({
        check,
        target,
        send,
        request: requestBy({ target, send })
      })
    })
  ).pipe(Layer.provide(real))
