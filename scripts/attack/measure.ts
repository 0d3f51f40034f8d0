/**
 * Measures what somebody else has of the server, in a process of its own: reads a Task as JSON from stdin, then marks, one
 * a line: at each it prints a Measurement of the time since the mark before, and begins anew.
 *
 * Requests are sent at fixed times, whether or not those before are answered: what stands still is seen by all who would
 * have come meanwhile. Where this process itself was late, that is taken from the times that it measured.
 */
import { Agent, request } from "node:http"
import { createInterface } from "node:readline"
import { memory } from "../bench/processes.ts"
import type { Workspace } from "../bench/operations.ts"

export interface Task {
  readonly port: number
  readonly pid: number
  readonly address: string
  readonly workspace: Workspace
}

export interface Times {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export interface Measurement {
  /** Another user's gets: of a note and of a list, in turns. */
  readonly gets: Times
  readonly writes: Times
  /** Statuses of gets and writes that are neither wanted nor 429 or 503 with `Retry-After`; 0 is no response. */
  readonly failures: ReadonlyArray<number>
  /** For how long /healthz answered nobody. */
  readonly silence: number
  /** The worst status of /readyz. */
  readonly ready: number
  /** How long /readyz took on a new connection at most: Node accepts one each time that its loop comes round. */
  readonly arrival: number
  /** Resident memory in MB, the most. */
  readonly memory: number
  /** By how much this process was late at most: the noise of the machine, the attacker's part included. */
  readonly lateness: number
}

const GET_EVERY = 10
const WRITE_EVERY = 200
const HEALTH_EVERY = 25
/** Seldom enough that what waits to be accepted is not the probe's own. */
const READY_EVERY = 500
const MEMORY_EVERY = 50
const TICK = 5
/** More than so many that wait say nothing new. */
const WAITING = 1500

let input = ""
const { address, pid, port, workspace }: Task = await new Promise((resolve) => {
  process.stdin.on("data", function first(chunk: Buffer) {
    input += chunk
    const end = input.indexOf("\n")
    if (end < 0) return
    process.stdin.off("data", first)
    process.stdin.pause()
    process.stdin.unshift(Buffer.from(input.slice(end + 1)))
    resolve(JSON.parse(input.slice(0, end)))
  })
})

/** When this process stood still: from when to when. */
const standstills: Array<readonly [from: number, to: number]> = []
let ticked = performance.now()
const tick = (): void => {
  const now = performance.now()
  if (now - ticked > 2 * TICK) standstills.push([ticked + TICK, now])
  ticked = now
}
/** How much of a time this process was not there itself. */
const missed = (from: number, to: number): number => {
  let sum = 0
  for (let at = standstills.length - 1; at >= 0 && standstills[at]![1] > from; at--) {
    const [began, ended] = standstills[at]!
    sum += Math.max(0, Math.min(to, ended) - Math.max(from, began))
  }
  return sum
}

interface Sample {
  readonly began: number
  readonly wanted: number
  ended: number | undefined
  status: number
}
type Kind = "gets" | "writes" | "health" | "ready"
let samples: Record<Kind, Array<Sample>> = { gets: [], writes: [], health: [], ready: [] }
let waiting = 0
let most = 0

const agent = new Agent({ keepAlive: true, maxSockets: 256 })
const send = (kind: Kind, wanted: number, method: string, path: string, credential?: string, value?: unknown): void => {
  if (waiting >= WAITING) return
  waiting++
  const text = value === undefined ? "" : JSON.stringify(value)
  const sample: Sample = { began: performance.now(), wanted, ended: undefined, status: 0 }
  samples[kind].push(sample)
  const end = (status: number): void => {
    if (sample.ended !== undefined) return
    tick()
    waiting--
    sample.ended = performance.now()
    sample.status = status
  }
  const sent = request(
    {
      host: "127.0.0.1",
      port,
      localAddress: address,
      method,
      path,
      agent: kind === "ready" ? false : agent,
      timeout: 60_000,
      headers: {
        ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
        ...(text === "" ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
      }
    },
    (answer) => {
      answer.resume()
      const { headers, statusCode = 0 } = answer
      const isLater = (statusCode === 429 || statusCode === 503) && headers["retry-after"] !== undefined
      answer.on("end", () => end(isLater && kind !== "ready" ? wanted : statusCode))
      answer.on("error", () => end(0))
    }
  )
  sent.on("timeout", () => sent.destroy())
  sent.on("error", () => end(0))
  sent.end(text)
}

const note = { notebook_id: workspace.notebook_id, title: "Another user's", body: "What somebody else keeps here." }
const made: { readonly id: string } = await fetch(`http://127.0.0.1:${port}/v2/notes`, {
  method: "POST",
  headers: { authorization: `Bearer ${workspace.key}`, "content-type": "application/json" },
  body: JSON.stringify(note)
}).then((answer) => answer.json() as Promise<{ id: string }>)

let turn = 0
let writes = 0
/** By schedule: what this process missed while it was late is sent late, not left out. */
const every = (milliseconds: number, run: () => void): void => {
  let next = performance.now() + milliseconds
  setInterval(() => {
    for (let count = 0; next <= performance.now() && count < 20; count++) {
      run()
      next += milliseconds
    }
    next = Math.max(next, performance.now() - milliseconds)
  }, milliseconds)
}
every(TICK, tick)
every(GET_EVERY, () => {
  turn++
  if (turn % 2) send("gets", 200, "GET", `/v2/notes/${made.id}`, workspace.key)
  else send("gets", 200, "GET", "/v2/notebooks?limit=5", workspace.token)
})
every(WRITE_EVERY, () =>
  send("writes", 200, "PATCH", `/v2/notes/${made.id}`, workspace.token, { title: `${note.title} ${++writes}` })
)
every(HEALTH_EVERY, () => send("health", 200, "GET", "/healthz"))
every(READY_EVERY, () => send("ready", 200, "GET", "/readyz"))
every(MEMORY_EVERY, () => {
  try {
    most = Math.max(most, memory(pid))
  } catch {
    // The process has ended: it has none.
  }
})

const times = (all: ReadonlyArray<Sample>, now: number): Times => {
  const sorted = all
    .map(({ began, ended = now }) => ended - began - missed(began, ended))
    .sort((one, other) => one - other)
  const quantile = (q: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0
  return { count: sorted.length, p50: quantile(0.5), p99: quantile(0.99), max: sorted.at(-1) ?? 0 }
}

createInterface(process.stdin)
  .on("line", () => {
    tick()
    const now = performance.now()
    const failed = ({ ended, status, wanted }: Sample): boolean => ended !== undefined && status !== wanted
    const measurement: Measurement = {
      gets: times(samples.gets, now),
      writes: times(samples.writes, now),
      failures: [...samples.gets, ...samples.writes].filter(failed).map(({ status }) => status),
      silence: times(samples.health, now).max,
      // No answer is worse than any.
      arrival: times(samples.ready, now).max,
      ready: Math.max(...samples.ready.filter(failed).map(({ status }) => status || 599), 200),
      memory: most,
      lateness: Math.max(0, ...standstills.map(([from, to]) => to - from))
    }
    samples = { gets: [], writes: [], health: [], ready: [] }
    standstills.length = 0
    most = 0
    console.log(JSON.stringify(measurement))
  })
  .on("close", () => process.exit(0))
