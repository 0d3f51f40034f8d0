import { mkdtempSync, rmSync } from "node:fs"
import { cpus, tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import pg from "pg"
import { type Arrivals, measureListeners } from "./listeners.ts"
import { type Measurement, measure } from "./load.ts"
import { type Caller, operations, type Place, prepare } from "./operations.ts"
import { maxMemory } from "./processes.ts"
import { measureSizes } from "./size.ts"
import { soak } from "./soak.ts"
import { HERE, postgresOf, seed, type Started, startServer, startSheaf } from "./Target.ts"

const parts = [...Object.keys(operations), "listeners", "start"]
/** Measurements of Sheaf alone, only on request. */
const alone = ["size", "soak"]
const help = `npm run bench -- [options]

Compares Sheaf with a hand-written server (scripts/bench/baseline.ts) on the same PostgreSQL, alternately, and prints a
table. A ratio above 1 means that Sheaf is faster or needs less CPU; the range covers the rounds. Takes five minutes.

  --only NAME,…        ${parts.slice(0, 6).join(", ")},
                       ${parts.slice(6).join(", ")}
                       alone: size, soak
  --against DIRECTORY  another checkout of Sheaf, built, instead of the hand-written server
  --rounds 3           measurements of each operation on each server
  --seconds 3          duration of a measurement, after a third of it as warm-up
  --connections 32     each with its own workspace, one request at a time
  --listeners 1000     open event streams of one workspace
  --notes 100000       of the large workspace of size
  --minutes 15,10      of soak, at half and at three times the possible load
`

const { values: options } = parseArgs({
  options: {
    against: { type: "string" },
    connections: { type: "string", default: "32" },
    help: { type: "boolean", default: false },
    listeners: { type: "string", default: "1000" },
    minutes: { type: "string", default: "15,10" },
    notes: { type: "string", default: "100000" },
    only: { type: "string", default: parts.join() },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "3" }
  }
})
const chosen = options.only.split(",")
const unknown = chosen.filter((name) => ![...parts, ...alone].includes(name))
if (options.help || unknown.length > 0) {
  if (unknown.length > 0) console.error(`unknown: ${unknown.join(", ")}\n`)
  console.log(help)
  process.exit(unknown.length > 0 ? 2 : 0)
}
const rounds = Number(options.rounds)
const seconds = Number(options.seconds)
const connections = Number(options.connections)
const STARTS = 3
/** Number of writes: two seconds at five a second. */
const WRITES_TO_LISTENERS = 10
const DATABASE = "bench_baseline"

interface Peer {
  readonly name: string
  readonly postmaster: number
  readonly places: ReadonlyArray<Place>
  readonly callers: ReadonlyArray<Caller>
  readonly server: Started
  /** Starts the server once more; it has started when an authenticated read succeeds. */
  readonly startAgain: () => Promise<Started>
  readonly measurements: Map<string, Measurement[]>
  readonly arrivals: Arrivals[]
}
type Unfilled = Omit<Peer, "arrivals" | "callers" | "measurements">

const temporary: string[] = []
const running = new Set<Started>()
let isInterrupted = false
const started = async (starting: Promise<Started>): Promise<Started> => {
  const server = await starting
  running.add(server)
  if (isInterrupted) throw new Error("interrupted")
  return server
}
const stop = async (server: Started): Promise<void> => {
  await server.stop()
  running.delete(server)
}
const note = (line: string): void => console.error(line)

const startPeer = async (name: string, checkout: string): Promise<Unfilled & { readonly dataDir: string }> => {
  const dataDir = mkdtempSync(join(tmpdir(), "sheaf-bench-"))
  temporary.push(dataDir)
  const server = await started(startSheaf(dataDir, { checkout }))
  const places = await seed(dataDir, connections, { checkout })
  const startAgain = () => startSheaf(dataDir, { checkout, key: places[0]!.key })
  return { name, postmaster: postgresOf(dataDir).pid, places, server, startAgain, dataDir }
}

const startBaseline = async (dataDir: string): Promise<Unfilled> => {
  const { host, pid, port, user } = postgresOf(dataDir)
  const pool = new pg.Pool({ host, port, user, database: "postgres", max: 1 })
  await pool.query(`CREATE DATABASE ${DATABASE}`)
  await pool.end()
  const places = Array.from({ length: connections }, (_, ws) => ({ key: `key-${ws}`, notebook_id: "" }))
  const args = [join(import.meta.dirname, "baseline.ts"), host, `${port}`, user, DATABASE, `${connections}`]
  const startAgain = () => startServer(args, {}, "/v2/notes", "key-0")
  return { name: "baseline", postmaster: pid, places, server: await started(startAgain()), startAgain }
}

const fill = async (peer: Unfilled): Promise<Peer> => {
  note(`filling ${peer.name}`)
  const { places, server } = peer
  const callers = places.map((place) => prepare(server.port, place, places[0]!))
  return { ...peer, callers: await Promise.all(callers), measurements: new Map(), arrivals: [] }
}

const measureRound = async (round: number, inTurn: ReadonlyArray<Peer>): Promise<void> => {
  for (const name of Object.keys(operations).filter((name) => chosen.includes(name))) {
    for (const { callers, measurements, name: peer, postmaster, server } of inTurn) {
      const processes = { server: server.pid, postmaster }
      const measured = await measure(operations[name]!, server.port, callers, processes, {
        seconds,
        warmUp: seconds / 3
      })
      note(`round ${round + 1}/${rounds} ${name} ${peer} ${measured.perSecond.toFixed(0)}/s`)
      measurements.set(name, [...(measurements.get(name) ?? []), measured])
    }
  }
  if (!chosen.includes("listeners")) return
  for (const { arrivals, name, places, server } of inTurn) {
    const load = { listeners: Number(options.listeners), writes: WRITES_TO_LISTENERS }
    arrivals.push(await measureListeners(server.port, places[0]!, load))
    note(`round ${round + 1}/${rounds} listeners ${name} p50 ${arrivals.at(-1)!.p50.toFixed(0)} ms`)
  }
}

/** Milliseconds from the start of the process to its first authenticated read. */
const measureStart = async ({ server, startAgain }: Peer): Promise<number> => {
  await stop(server)
  const times: number[] = []
  while (times.length < STARTS) {
    const began = performance.now()
    const again = await started(startAgain())
    times.push(performance.now() - began)
    await stop(again)
  }
  return median(times)
}

const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length / 2
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2
}
const row = (...cells: ReadonlyArray<string>): void => console.log(`| ${cells.join(" | ")} |`)
/** The median, with the range if there are several values. */
const ratio = (values: ReadonlyArray<number>): string => {
  const range = [Math.min(...values), Math.max(...values)].map((each) => each.toFixed(2))
  return `${median(values).toFixed(2)}${values.length > 1 ? ` (${range.join("–")})` : ""}`
}

const printOperations = (other: Peer, sheaf: Peer): void => {
  const cpu = `CPU per request: ${other.name}, Sheaf`
  row("operation", `${other.name}, a second`, "Sheaf", "ratio", "p50, p99 of Sheaf", cpu, "ratio")
  row(...Array.from({ length: 7 }, () => "---"))
  for (const [name, own] of sheaf.measurements) {
    const others = other.measurements.get(name)!
    const of = (all: ReadonlyArray<Measurement>, key: keyof Measurement, digits: number): string =>
      median(all.map((each) => each[key])).toFixed(digits)
    row(
      operations[name]!.label,
      of(others, "perSecond", 0),
      of(own, "perSecond", 0),
      ratio(own.map((each, round) => each.perSecond / others[round]!.perSecond)),
      `${of(own, "p50", 1)}, ${of(own, "p99", 1)} ms`,
      `${of(others, "cpu", 2)}, ${of(own, "cpu", 2)} ms`,
      ratio(own.map((each, round) => others[round]!.cpu / each.cpu))
    )
  }
}

const shownArrivals = ({ arrivals }: Peer): string => {
  const of = (key: "p50" | "p99") => median(arrivals.map((each) => each[key])).toFixed(0)
  const sum = (key: "delivered" | "expected") => arrivals.reduce((total, each) => total + each[key], 0)
  return `p50 ${of("p50")} ms, p99 ${of("p99")} ms; ${sum("delivered")} of ${sum("expected")} delivered`
}

const bench = async (): Promise<void> => {
  if (chosen.includes("size")) await measureSizes(Number(options.notes))
  const [half, triple] = options.minutes.split(",").map(Number) as [number, number]
  if (chosen.includes("soak")) await soak({ half, triple })
  if (chosen.every((name) => alone.includes(name))) return
  const own = await startPeer("Sheaf", HERE)
  const against =
    options.against === undefined
      ? await startBaseline(own.dataDir)
      : await startPeer(options.against, resolve(options.against))
  const other = await fill(against)
  const sheaf = await fill(own)
  for (let round = 0; round < rounds; round++) {
    await measureRound(round, round % 2 === 0 ? [other, sheaf] : [sheaf, other])
  }
  const most = [other, sheaf].map(({ server }) => `${maxMemory(server.pid).toFixed(0)} MB`)

  console.log(`Node ${process.version}, ${cpus().length} cores, ${connections} connections, bodies of 1 KB;`)
  console.log(`${rounds} rounds of ${seconds} s; medians; CPU of the server and PostgreSQL\n`)
  printOperations(other, sheaf)
  console.log("")
  row("", other.name, "Sheaf")
  row("---", "---", "---")
  if (sheaf.arrivals.length > 0)
    row(`a change to ${options.listeners} listeners`, shownArrivals(other), shownArrivals(sheaf))
  row("maximum memory of the process", ...most)
  // The baseline first, because it uses the PostgreSQL of Sheaf.
  if (chosen.includes("start")) {
    const times = [await measureStart(other), await measureStart(sheaf)]
    row("start to the first read, of Sheaf with PostgreSQL", ...times.map((each) => `${(each / 1000).toFixed(2)} s`))
  }
}

const cleanUp = async (): Promise<void> => {
  // The newest first, because the baseline uses the PostgreSQL of Sheaf.
  for (const server of [...running].toReversed()) await stop(server)
  for (const directory of temporary) rmSync(directory, { recursive: true, force: true })
}
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    isInterrupted = true
    void cleanUp()
  })
}
try {
  await bench()
} catch (error) {
  // After an interrupt the servers are gone, so any request fails.
  if (!isInterrupted) console.error(error)
  process.exitCode = isInterrupted ? 130 : 1
}
await cleanUp()
process.exit()
