/** Half of the possible load for long, then three times as much: what grows although it should not. */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Connection } from "./Connection.ts"
import { measure, quantile } from "./load.ts"
import { type Caller, operations, prepare } from "./operations.ts"
import { memory } from "./processes.ts"
import { postgresOf, seed, startSheaf } from "./Target.ts"

const CONNECTIONS = 32
/** The mix: each of these operations in turn. */
const MIX = ["get", "list", "get-304", "update", "pull", "create"] as const
const SAMPLE = 5_000
/** Requests of a caller that wait for a connection; further ones are dropped and counted, as an impatient client does. */
const MOST_WAITING = 50

interface Sample {
  readonly minutes: number
  readonly rss: number
  readonly handles: number
  readonly disk: number
  readonly p50: number
  readonly p99: number
}

const sizeOf = (directory: string): number => {
  let bytes = 0
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    // A file may end between the two calls.
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0
  }
  return bytes / 1024 / 1024
}

/** The slope of a line through points, in units a minute (least squares). */
export const slopeOf = (points: ReadonlyArray<readonly [minutes: number, value: number]>): number => {
  const [x, y] = [0, 1].map((at) => points.reduce((sum, point) => sum + point[at]!, 0) / points.length) as [
    number,
    number
  ]
  const above = points.reduce((sum, [minutes, value]) => sum + (minutes - x) * (value - y), 0)
  const below = points.reduce((sum, [minutes]) => sum + (minutes - x) ** 2, 0)
  return below === 0 ? 0 : above / below
}

/** Requests at a rate, whether or not earlier ones have ended. Returns samples, and numbers of responses by status. */
const load = async (
  port: number,
  pid: number,
  dataDir: string,
  callers: ReadonlyArray<Caller>,
  { minutes, perSecond }: { readonly perSecond: number; readonly minutes: number }
) => {
  const until = performance.now() + minutes * 60_000
  const statuses = new Map<number | "dropped" | "cut", number>()
  const count = (status: number | "dropped" | "cut") => statuses.set(status, (statuses.get(status) ?? 0) + 1)
  const samples: Array<Sample> = []
  let latencies: Array<number> = []
  const run = async (caller: Caller, index: number): Promise<void> => {
    let connection = new Connection(port)
    const every = (callers.length * 1000) / perSecond
    let due = performance.now() + (every * index) / callers.length
    for (let turn = index; performance.now() < until; turn++) {
      const late = performance.now() - due
      if (late > every * MOST_WAITING) {
        count("dropped")
        due += every
        continue
      }
      if (late < 0) await sleep(-late)
      const operation = operations[MIX[turn % MIX.length]!]!
      if (!connection.isOpen) connection = new Connection(port)
      try {
        const reply = await connection.exchange(operation.request(caller))
        count(reply.status)
        if (reply.status === operation.status) operation.check(reply, caller)
      } catch {
        count("cut")
      }
      latencies.push(performance.now() - due)
      due += every
    }
    connection.close()
  }
  const began = performance.now()
  const sample = async () => {
    while (performance.now() < until) {
      await sleep(SAMPLE)
      const taken = latencies
      latencies = []
      samples.push({
        minutes: (performance.now() - began) / 60_000,
        rss: memory(pid),
        handles: readdirSync(`/proc/${pid}/fd`).length,
        disk: sizeOf(dataDir),
        p50: quantile(taken, 0.5),
        p99: quantile(taken, 0.99)
      })
    }
  }
  await Promise.all([sample(), ...callers.map(run)])
  return { samples, statuses }
}

const print = (name: string, { samples, statuses }: Awaited<ReturnType<typeof load>>) => {
  console.log(`\n${name}: ${[...statuses].map(([status, times]) => `${status}: ${times}`).join(", ")}`)
  console.log("| | first | last | most | slope a minute, second half |\n|---|---|---|---|---|")
  const later = samples.slice(samples.length >> 1)
  for (const [key, unit] of [
    ["rss", "MB"],
    ["handles", ""],
    ["disk", "MB"],
    ["p50", "ms"],
    ["p99", "ms"]
  ] as const) {
    const values = samples.map((sample) => sample[key])
    const slope = slopeOf(later.map((sample) => [sample.minutes, sample[key]]))
    const cells = [values[0]!, values.at(-1)!, Math.max(...values), slope].map((each) => `${each.toFixed(1)} ${unit}`)
    console.log(`| ${key} | ${cells.join(" | ")} |`)
  }
}

/** Prints how memory, handles, disk and latency change under half and three times the load that is possible. */
export const soak = async ({ half, triple }: { readonly half: number; readonly triple: number }): Promise<void> => {
  const dataDir = mkdtempSync(join(tmpdir(), "sheaf-soak-"))
  const server = await startSheaf(dataDir)
  try {
    const places = await seed(dataDir, CONNECTIONS)
    const callers = await Promise.all(places.map((place) => prepare(server.port, place, places[0]!)))
    const processes = { servers: [server.pid], postmaster: postgresOf(dataDir).pid }
    const rates: Array<number> = []
    for (const name of MIX) {
      const { perSecond } = await measure(operations[name]!, server.port, callers, processes, { seconds: 3, warmUp: 1 })
      rates.push(perSecond)
    }
    const possible = MIX.length / rates.reduce((sum, rate) => sum + 1 / rate, 0)
    console.log(`possible: ${possible.toFixed(0)} requests a second of the mix ${MIX.join(", ")}`)
    const of = (share: number, minutes: number) =>
      load(server.port, server.pid, dataDir, callers, { perSecond: possible * share, minutes })
    print(`half for ${half} minutes`, await of(0.5, half))
    print(`three times for ${triple} minutes`, await of(3, triple))
    await sleep(10_000)
    console.log(`\nmemory 10 s after it: ${memory(server.pid).toFixed(0)} MB`)
    print("half for 1 minute after it", await of(0.5, 1))
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
