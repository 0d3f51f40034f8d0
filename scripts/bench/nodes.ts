/** What several nodes and several workers cost, on one database, with each workspace on one of them. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type Measurement, measure } from "./load.ts"
import { operations, prepare } from "./operations.ts"
import { childrenOf, cpuSeconds, memory } from "./processes.ts"
import { postgresOf, seed, type Started, startSheaf } from "./Target.ts"

interface Options {
  readonly connections: number
  readonly rounds: number
  readonly seconds: number
}

const OPERATIONS = ["get", "list", "create", "update"] as const
/** Milliseconds in which further workers start. */
const STARTS = 8_000
/** MB above which a child process is a worker. */
const SHELL = 60
/** Milliseconds for which idle nodes are measured. */
const IDLE = 5_000

/** The turn in which a request took the least processor time: the one that other programs disturbed least. */
const leastDisturbed = (all: ReadonlyArray<Measurement>): Measurement =>
  all.toSorted((one, other) => one.all - other.all)[0]!

/** Prints a row for each operation: requests a second, and the processor time of a request. */
const measureSetup = async (
  name: string,
  { connections, rounds, seconds }: Options,
  nodes: number,
  workers: number
) => {
  const dataDir = mkdtempSync(join(tmpdir(), "sheaf-nodes-"))
  const running: Array<Started> = []
  try {
    running.push(await startSheaf(dataDir, { env: workers > 1 ? { WORKERS: `${workers}` } : {} }))
    const { host, pid: postmaster, user } = postgresOf(dataDir)
    const url = `postgres://${user}@localhost/sheaf?host=${encodeURIComponent(host)}`
    while (running.length < nodes) {
      running.push(await startSheaf(join(dataDir, `node-${running.length}`), { env: { DATABASE_URL: url } }))
    }
    // Further workers start after the first one serves.
    if (workers > 1) await sleep(STARTS)
    const places = await seed(dataDir, connections)
    const ports = running.map(({ port }) => port)
    const portOf = (index: number) => ports[index % ports.length]!
    const callers = await Promise.all(places.map((place, index) => prepare(portOf(index), place, places[0]!)))
    // The other child of a parent of workers is a shell that guards PostgreSQL.
    const children = workers > 1 ? childrenOf(running[0]!.pid).filter((pid) => memory(pid) > SHELL) : []
    const servers = [...running.map(({ pid }) => pid), ...children].filter((pid) => pid !== postmaster)
    const idle = servers.map(memory)
    const measured = new Map<string, Array<Measurement>>(OPERATIONS.map((operation) => [operation, []]))
    for (let round = 0; round <= rounds; round++) {
      for (const operation of OPERATIONS) {
        const processes = { servers, postmaster }
        const times = { seconds, warmUp: 0.1 }
        const found = await measure(operations[operation]!, portOf, callers, processes, times)
        if (round > 0) measured.get(operation)!.push(found)
      }
    }
    for (const [operation, all] of measured) {
      const { all: both, perSecond, server } = leastDisturbed(all)
      console.log(
        `| ${name} | ${operation} | ${perSecond.toFixed(0)} | ${server.toFixed(0)} µs | ${(both - server).toFixed(0)} µs |`
      )
    }
    const megabytes = (values: ReadonlyArray<number>) => values.map((each) => each.toFixed(0)).join(", ")
    console.log(
      `| ${name} | memory, idle and after it | ${megabytes(idle)} MB | ${megabytes(servers.map(memory))} MB | |`
    )
    if (nodes === 1) return
    // All writes go to the first node: what the others use is the cost of its messages.
    const others = { servers: servers.slice(1), postmaster }
    const [before, began] = [cpuSeconds(others), performance.now()]
    const first = callers.filter((_, index) => index % nodes === 0)
    const load = { seconds: IDLE / 1000, warmUp: 0.1 }
    const { perSecond } = await measure(operations["create"]!, ports[0]!, first, others, load)
    const writes = (perSecond * (performance.now() - began)) / 1000
    const foreign = ((cpuSeconds(others).server - before.server) * 1e6) / writes / (nodes - 1)
    await sleep(1000)
    const [quiet, at] = [cpuSeconds(others), performance.now()]
    await sleep(IDLE)
    const idleShare = (cpuSeconds(others).server - quiet.server) / ((performance.now() - at) / 1000) / (nodes - 1)
    console.log(
      `| ${name} | a write of another node | ${perSecond.toFixed(0)} | ${foreign.toFixed(0)} µs | ${(idleShare * 100).toFixed(1)} % of a core without writes |`
    )
  } finally {
    for (const server of running.toReversed()) await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Prints a table of 1, 2 and 4 nodes, and of 2 and 4 workers. */
export const measureNodes = async (options: Options): Promise<void> => {
  console.log("| setup | operation | a second | Node | PostgreSQL |\n|---|---|---|---|---|")
  for (const nodes of [1, 2, 4]) await measureSetup(nodes === 1 ? "1 node" : `${nodes} nodes`, options, nodes, 1)
  for (const workers of [2, 4]) await measureSetup(`${workers} workers`, options, 1, workers)
}
