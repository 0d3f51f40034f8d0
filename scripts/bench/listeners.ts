/**
 * Many listeners on the event stream, in a process of its own: reads a task as JSON from stdin, writes notes one after
 * the other, and prints how long each took from the moment it was sent until it stood at each listener of its workspace.
 */
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { Connection, requestText } from "./Connection.ts"
import { type FilledWorkspace, jsonOf, newNote } from "./operations.ts"

export interface ListenersTask {
  readonly port: number
  readonly workspaces: readonly FilledWorkspace[]
  readonly listeners: number
  readonly writes: number
}

export interface Arrivals {
  readonly expected: number
  readonly delivered: number
  readonly p50: number
  readonly p99: number
}

const PATIENCE = 10_000
const BETWEEN = 10

const { listeners, port, workspaces, writes }: ListenersTask = JSON.parse(await text(process.stdin))

/** By title: when it was sent. Titles are unique, and stand early in each event. */
const sentAt = new Map<string, number>()
const latencies: number[] = []

const listen = ({ key }: FilledWorkspace): Promise<() => void> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, noDelay: true })
    socket.on("error", reject)
    socket.write(requestText(key, "GET", "/v2/sync/stream"))
    let isReady = false
    let rest = ""
    socket.on("data", (chunk) => {
      const now = performance.now()
      rest += chunk.toString("latin1")
      if (!isReady && rest.includes("event: ready")) {
        isReady = true
        resolve(() => socket.destroy())
      }
      for (const [, title = ""] of rest.matchAll(/"title":"(listened \d+)"/g)) {
        const sent = sentAt.get(title)
        if (sent !== undefined) latencies.push(now - sent)
      }
      // What may be the beginning of a title that the next chunk ends.
      rest = rest.slice(Math.max(rest.lastIndexOf('"title"'), rest.length - 40)).replace(/"title":"listened \d+"/, "")
    })
  })

const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

const closers: Array<() => void> = []
for (let at = 0; at < listeners; at += 1) closers.push(await listen(workspaces[at % workspaces.length]!))

const writer = new Connection(port)
let expected = 0
for (let at = 0; at < writes; at += 1) {
  const place = at % workspaces.length
  const workspace = workspaces[place]!
  const title = `listened ${at}`
  sentAt.set(title, performance.now())
  const answer = await writer.exchange(
    requestText(workspace.key, "POST", "/v2/notes", { ...newNote(workspace), title })
  )
  if (answer.status !== 201) throw new Error(`${answer.head}\n\n${JSON.stringify(jsonOf(answer))}`)
  expected += Math.floor(listeners / workspaces.length) + (place < listeners % workspaces.length ? 1 : 0)
  await sleep(BETWEEN)
}
const until = performance.now() + PATIENCE
while (latencies.length < expected && performance.now() < until) await sleep(20)

const sorted = latencies.toSorted((one, other) => one - other)
const quantile = (q: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Infinity
console.log(
  JSON.stringify({ expected, delivered: sorted.length, p50: quantile(0.5), p99: quantile(0.99) } satisfies Arrivals)
)
for (const close of closers) close()
writer.close()
