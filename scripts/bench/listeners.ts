/** Measures how long a change takes from its request to each of many open event streams of the workspace. */
import { setTimeout as sleep } from "node:timers/promises"
import { connect } from "node:net"
import { Connection, requestText } from "./Connection.ts"
import { quantile } from "./load.ts"
import { create, type Place } from "./operations.ts"

export interface Arrivals {
  readonly expected: number
  readonly delivered: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
}

const PATIENCE = 10_000
/** Milliseconds between two writes. */
const PAUSE = 200
/** Maximum number of streams that are opened at a time. */
const AT_ONCE = 50

export const listen = (port: number, key: string, onChange: (id: string) => void): Promise<() => void> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, noDelay: true })
    socket.on("error", reject)
    socket.write(requestText(key, "GET", "/v2/sync/stream"))
    let rest = ""
    socket.on("data", (chunk) => {
      const events = (rest + chunk.toString("latin1")).split("\n\n")
      rest = events.pop()!
      for (const event of events) {
        if (event.includes("event: ready")) resolve(() => socket.destroy())
        for (const [, id] of event.matchAll(/"type":"note","id":"([^"]+)"/g)) onChange(id!)
      }
    })
  })

export const measureListeners = async (
  port: number,
  place: Place,
  { listeners, writes }: { readonly listeners: number; readonly writes: number }
): Promise<Arrivals> => {
  /** When each listener received a note, by note id: events may arrive before the response that contains the id. */
  const arrived = new Map<string, number[]>()
  let delivered = 0
  const onChange = (id: string): void => {
    delivered++
    const times = arrived.get(id)
    if (times === undefined) arrived.set(id, [performance.now()])
    else times.push(performance.now())
  }
  const closers: Array<() => void> = []
  while (closers.length < listeners) {
    const count = Math.min(AT_ONCE, listeners - closers.length)
    closers.push(...(await Promise.all(Array.from({ length: count }, () => listen(port, place.key, onChange)))))
  }
  const writer = new Connection(port)
  const sent: Array<readonly [id: string, at: number]> = []
  for (let write = 0; write < writes; write++) {
    const at = performance.now()
    sent.push([(await create(writer, place)).id, at])
    await sleep(PAUSE)
  }
  const expected = listeners * writes
  for (const until = performance.now() + PATIENCE; delivered < expected && performance.now() < until;) await sleep(20)
  for (const close of closers) close()
  writer.close()
  const latencies = sent.flatMap(([id, at]) => (arrived.get(id) ?? []).map((time) => time - at))
  return { expected, delivered: latencies.length, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) }
}
