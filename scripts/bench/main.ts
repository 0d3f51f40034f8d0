import { mkdtempSync, rmSync } from "node:fs"
import { cpus, tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import pg from "pg"
import { type Arrivals, measureListeners } from "./listeners.ts"
import { type Measurement, measure } from "./load.ts"
import { type Caller, operations, type Place, prepare } from "./operations.ts"
import { maxMemory } from "./processes.ts"
import { measureNodes } from "./nodes.ts"
import { measureSizes } from "./size.ts"
import { soak } from "./soak.ts"
import { HERE, postgresOf, seed, type Started, startServer, startSheaf } from "./Target.ts"

const parts = [...Object.keys(operations), "listeners", "start"]
/** Measurements of Sheaf alone, only on request. */
const alone = ["nodes", "size", "soak"]
const help = `npm run bench -- [options]

Compares Sheaf with a hand-written server (scripts/bench/baseline.ts) on the same PostgreSQL, and prints a table. All
servers stay up; each has a short turn of each operation in each round, so that a busy machine disturbs all of them
alike. Ratios are medians over the rounds; above 1, Sheaf is faster or needs less. Takes five minutes.

  --only NAME,…        ${parts.slice(0, 6).join(", ")},
                       ${parts.slice(6).join(", ")}
                       alone: nodes, size, soak
  --against DIRECTORY,…  other checkouts of Sheaf, built, besides the hand-written server
  --rounds 12          turns of each server and operation, after one as warm-up
  --seconds 1          duration of a turn
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
    rounds: { type: "string", default: "12" },
    seconds: { type: "string", default: "1" }
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
/** Number of rounds with listeners. */
const LISTENED = 3
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

/** Round 0 is the warm-up. */
const measureRound = async (round: number, peers: ReadonlyArray<Peer>): Promise<void> => {
  const first = round % peers.length
  const inTurn = [...peers.slice(first), ...peers.slice(0, first)]
  for (const name of Object.keys(operations).filter((name) => chosen.includes(name))) {
    for (const { callers, measurements, name: peer, postmaster, server } of inTurn) {
      const processes = { servers: [server.pid], postmaster }
      const measured = await measure(operations[name]!, server.port, callers, processes, { seconds, warmUp: 0.1 })
      note(`round ${round}/${rounds} ${name} ${peer} ${measured.perSecond.toFixed(0)}/s`)
      if (round > 0) measurements.set(name, [...(measurements.get(name) ?? []), measured])
    }
  }
  if (!chosen.includes("listeners") || round === 0 || round > LISTENED) return
  for (const { arrivals, name, places, server } of inTurn) {
    const load = { listeners: Number(options.listeners), writes: WRITES_TO_LISTENERS }
    arrivals.push(await measureListeners(server.port, places[0]!, load))
    note(`round ${round}/${rounds} listeners ${name} p50 ${arrivals.at(-1)!.p50.toFixed(0)} ms`)
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
const printOperations = (peers: ReadonlyArray<Peer>, sheaf: Peer): void => {
  row("operation", "server", "a second", "p50, p99", "processor time", "with PostgreSQL", "Sheaf to it, of all three")
  row(...Array.from({ length: 7 }, () => "---"))
  for (const [name, own] of sheaf.measurements) {
    for (const { measurements, name: peer } of peers) {
      const all = measurements.get(name)!
      const of = (key: keyof Measurement, digits = 0): string => median(all.map((each) => each[key])).toFixed(digits)
      const ratio = (of: (sheaf: Measurement, other: Measurement) => number): string =>
        median(own.map((each, round) => of(each, all[round]!))).toFixed(2)
      row(
        operations[name]!.label,
        peer,
        of("perSecond"),
        `${of("p50", 1)}, ${of("p99", 1)} ms`,
        `${of("server")} µs`,
        `${of("all")} µs`,
        all === own
          ? ""
          : [
              ratio((one, other) => one.perSecond / other.perSecond),
              ratio((one, other) => other.server / one.server),
              ratio((one, other) => other.all / one.all)
            ].join(", ")
      )
    }
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
  if (chosen.includes("nodes")) await measureNodes({ connections, rounds, seconds })
  if (chosen.includes("soak")) await soak({ half, triple })
  if (chosen.every((name) => alone.includes(name))) return
  const own = await startPeer("Sheaf", HERE)
  const unfilled: Array<Unfilled> = [await startBaseline(own.dataDir)]
  for (const checkout of options.against?.split(",") ?? []) {
    unfilled.push(await startPeer(checkout, resolve(checkout)))
  }
  const peers: Array<Peer> = []
  for (const each of [...unfilled, own]) peers.push(await fill(each))
  const sheaf = peers.at(-1)!
  for (let round = 0; round <= rounds; round++) await measureRound(round, peers)
  const most = peers.map(({ server }) => `${maxMemory(server.pid).toFixed(0)} MB`)

  console.log(`Node ${process.version}, ${cpus().length} cores, ${connections} connections, bodies of 1 KB;`)
  console.log(`${rounds} rounds of ${seconds} s in turns; medians\n`)
  printOperations(peers, sheaf)
  console.log("")
  row("", ...peers.map(({ name }) => name))
  row("---", ...peers.map(() => "---"))
  if (sheaf.arrivals.length > 0) row(`a change to ${options.listeners} listeners`, ...peers.map(shownArrivals))
  row("maximum memory of the process", ...most)
  if (chosen.includes("start")) {
    const times: Array<string> = []
    // The baseline first, because it uses the PostgreSQL of Sheaf.
    for (const peer of peers) times.push(`${((await measureStart(peer)) / 1000).toFixed(2)} s`)
    row("start to the first read, of Sheaf with PostgreSQL", ...times)
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
