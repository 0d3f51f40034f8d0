/**
 * Measures, in a separate process, how the server responds to another user. It reads a Task as JSON from stdin, then one
 * mark per line. At each mark it prints a Measurement of the time since the previous mark.
 *
 * Requests are sent at fixed times, whether or not earlier ones have a response: a standstill of the server delays all
 * requests that are due during it. Delays of this process itself are subtracted.
 */
import { createInterface } from "node:readline"
import { header } from "../bench/Connection.ts"
import { memory } from "../bench/processes.ts"
import type { Workspace } from "../bench/Target.ts"
import { Client, type Sending } from "./Client.ts"

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
  /** Another user's reads, alternately of a note and of a list. */
  readonly gets: Times
  readonly writes: Times
  /** Statuses of reads and writes, except the expected ones and 429 or 503 with `Retry-After`; 0 is no response. */
  readonly failures: ReadonlyArray<number>
  /** The longest response time of /healthz. */
  readonly silence: number
  /** The worst status of /readyz. */
  readonly ready: number
  /** The longest response time of /readyz on a new connection: Node accepts one per turn of its event loop. */
  readonly arrival: number
  /** Maximum resident memory in MB. */
  readonly memory: number
  /** The longest delay of this process: the noise of the machine, including that of the attacker. */
  readonly lateness: number
}

const GET_EVERY = 10
const WRITE_EVERY = 200
const HEALTH_EVERY = 25
/** Rare enough that the probe does not fill the accept queue. */
const READY_EVERY = 500
const MEMORY_EVERY = 50
const TICK = 5
/** Maximum number of waiting requests; further ones would show nothing new. */
const WAITING = 1500
const PATIENCE = 60_000

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

/** Periods in which this process did not run. */
const standstills: Array<readonly [from: number, to: number]> = []
let ticked = performance.now()
const tick = (): void => {
  const now = performance.now()
  if (now - ticked > 2 * TICK) standstills.push([ticked + TICK, now])
  ticked = now
}
/** The part of a period in which this process did not run. */
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

const client = new Client({ port, address, connections: 256, patience: PATIENCE, signal: new AbortController().signal })
const send = async (
  kind: Kind,
  by: Client,
  wanted: number,
  method: string,
  path: string,
  sending?: Sending
): Promise<void> => {
  if (waiting >= WAITING) return
  waiting++
  const sample: Sample = { began: performance.now(), wanted, ended: undefined, status: 0 }
  samples[kind].push(sample)
  const { head, status } = await by.send(method, path, sending)
  tick()
  waiting--
  sample.ended = performance.now()
  const isLater = (status === 429 || status === 503) && header(head, "retry-after") !== undefined
  sample.status = isLater && kind !== "ready" ? wanted : status
}
/** Requests /readyz on a new connection. */
const askReady = async (): Promise<void> => {
  const end = new AbortController()
  await send("ready", new Client({ port, address, patience: PATIENCE, signal: end.signal }), 200, "GET", "/readyz")
  end.abort()
}

const note = { notebook_id: workspace.notebook_id, title: "Another user's", body: "Another user's text." }
const { id } = await client.need(201, "POST", "/v2/notes", { body: note, credential: workspace.key })

let turn = 0
let writes = 0
/** Runs on schedule: runs that this process missed are made up for, not left out. */
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
  if (turn % 2) void send("gets", client, 200, "GET", `/v2/notes/${id}`, { credential: workspace.key })
  else void send("gets", client, 200, "GET", "/v2/notebooks?limit=5", { credential: workspace.token })
})
every(WRITE_EVERY, () => {
  const body = { title: `${note.title} ${++writes}` }
  void send("writes", client, 200, "PATCH", `/v2/notes/${id}`, { body, credential: workspace.token })
})
every(HEALTH_EVERY, () => void send("health", client, 200, "GET", "/healthz"))
every(READY_EVERY, () => void askReady())
every(MEMORY_EVERY, () => {
  try {
    most = Math.max(most, memory(pid))
  } catch {
    // The process has ended and uses no memory.
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
      // A missing response counts as worse than any status.
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
