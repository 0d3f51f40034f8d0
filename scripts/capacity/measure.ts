/** Measures the costs of the model on this machine, and how well they predict a mix of requests. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { Connection, requestText } from "../bench/Connection.ts"
import { listen } from "../bench/listeners.ts"
import { type Caller, create, type Operation, operations, prepare } from "../bench/operations.ts"
import { cpuSeconds, memory } from "../bench/processes.ts"
import { postgresOf, seed, type Started, startSheaf } from "../bench/Target.ts"
import { type Cost, type Costs, type Habits, type Request, REQUESTS } from "./model.ts"

const CALLERS = 8
/** Seconds of a turn, and rounds in which each measurement has one. */
const SECONDS = 1.5
const ROUNDS = 12
const STREAMS = 500
/** Bytes of memory of the index of a note of 1 KB (docs/operating.md, Search indexes). */
const INDEXED = 260

const words = "sync note server search revision cursor postgres change stream notebook tag version".split(" ")

/** The requests of the model. A pull begins where its device is. */
const requests: Readonly<Record<Request, Operation>> = {
  get: operations["get"]!,
  list: operations["list"]!,
  create: operations["create"]!,
  update: operations["update"]!,
  search: {
    label: "search",
    status: 201,
    request: ({ place, turn }) => {
      const query = `${words[turn % words.length]} ${words[(turn * 7) % words.length]}`
      return requestText(place.key, "POST", "/v2/search", { query, limit: 10 })
    },
    check: (_, caller) => void caller.turn++
  },
  pull: {
    label: "pull",
    status: 201,
    request: ({ place }) => requestText(place.key, "POST", "/v2/sync/pull", { cursor: "", limit: 100 }),
    check: () => undefined
  }
}

/** Totals of a measurement: requests by kind, and what they used. */
interface Used extends Cost {
  readonly counts: Readonly<Record<Request, number>>
}

const MEMBERS = ["node", "postgres", "log", "stored"] as const

/** The turn in which a request took the least processor time: the one that other programs disturbed least. */
const leastDisturbed = (turns: ReadonlyArray<Used>): Used => {
  const perRequest = ({ counts, node, postgres }: Used) =>
    (node + postgres) / REQUESTS.reduce((sum, request) => sum + counts[request], 0)
  return turns.toSorted((one, other) => perRequest(one) - perRequest(other))[0]!
}

/** What a request costs: of searches and pulls what they add to the updates before them, which they have to find. */
const costOf = (request: Request, { counts, ...used }: Used, update: Cost | undefined): Cost => {
  const of = (member: keyof Cost) =>
    Math.max(
      0,
      Math.round((used[member] - (update === undefined ? 0 : counts.update * update[member])) / counts[request])
    )
  return { node: of("node"), postgres: of("postgres"), log: of("log"), stored: of("stored") }
}

/**
 * The sequences of requests that are measured besides the mix. A search follows as many updates as in the habits of a person: it
 * first adds them to the index.
 */
const sequences: Readonly<Record<Request, (turn: number) => Request>> = {
  get: () => "get",
  list: () => "list",
  create: () => "create",
  update: () => "update",
  search: (turn) => (turn % 10 === 9 ? "search" : "update"),
  pull: (turn) => (turn % 2 === 0 ? "update" : "pull")
}

class Measured {
  readonly server: Started
  readonly callers: ReadonlyArray<Caller>
  readonly #pool: InstanceType<typeof pg.Pool>
  readonly #processes: { readonly servers: ReadonlyArray<number>; readonly postmaster: number }
  /** The cursor of each caller. */
  readonly #cursors: Array<string>

  constructor(server: Started, callers: ReadonlyArray<Caller>, dataDir: string) {
    const { pid: postmaster, ...address } = postgresOf(dataDir)
    this.server = server
    this.callers = callers
    this.#pool = new pg.Pool({ ...address, database: "sheaf", max: 1 })
    this.#processes = { servers: [server.pid], postmaster }
    this.#cursors = callers.map(({ cursors }) => cursors.at(-1)!)
  }

  end(): Promise<void> {
    return this.#pool.end()
  }

  async #state() {
    const { rows } = await this.#pool.query(
      "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS log, pg_database_size('sheaf')::float8 AS stored"
    )
    return { ...cpuSeconds(this.#processes), ...(rows[0] as { readonly log: number; readonly stored: number }) }
  }

  /** Each caller sends the requests that `next` names, one at a time. */
  async drive(next: (turn: number) => Request): Promise<Used> {
    const counts = Object.fromEntries(REQUESTS.map((request) => [request, 0])) as Record<Request, number>
    const before = await this.#state()
    const until = performance.now() + SECONDS * 1000
    await Promise.all(
      this.callers.map(async (caller, index) => {
        const connection = new Connection(this.server.port)
        for (let turn = index; performance.now() < until; turn++) {
          const name = next(turn)
          const text =
            name === "pull"
              ? requestText(caller.place.key, "POST", "/v2/sync/pull", { cursor: this.#cursors[index], limit: 100 })
              : requests[name].request(caller)
          const reply = await connection.exchange(text)
          if (reply.status >= 300) throw new Error(`${name}: ${reply.head}\n\n${reply.body}`)
          if (name === "pull") this.#cursors[index] = JSON.parse(reply.body.toString()).cursor
          else requests[name].check(reply, caller)
          counts[name]++
        }
        connection.close()
      })
    )
    const after = await this.#state()
    return {
      counts,
      node: (after.server - before.server) * 1e6,
      postgres: (after.stores - before.stores) * 1e6,
      log: after.log - before.log,
      stored: after.stored - before.stored
    }
  }

  /** The memory of an open stream, and the processor time of a change that reaches one. */
  async streams(writing: number): Promise<{ readonly stream: number; readonly delivery: number }> {
    const before = memory(this.server.pid)
    const [caller] = this.callers
    let delivered = 0
    const closers: Array<() => void> = []
    while (closers.length < STREAMS) closers.push(await listen(this.server.port, caller!.place.key, () => delivered++))
    const stream = Math.max(0, ((memory(this.server.pid) - before) * 1024 * 1024) / STREAMS)
    const connection = new Connection(this.server.port)
    const [from, until] = [await this.#state(), performance.now() + SECONDS * 1000]
    let writes = 0
    for (; performance.now() < until; writes++) await create(connection, caller!.place)
    await sleep(500)
    const to = await this.#state()
    connection.close()
    for (const close of closers) close()
    const delivery = ((to.server - from.server) * 1e6 - writes * writing) / delivered
    return { stream: Math.round(stream), delivery: Math.max(0, Math.round(delivery)) }
  }
}

/** A sequence of requests in the proportions of the habits, in the same order each time. */
export const mixOf = ({ perDay }: Habits): ((turn: number) => Request) => {
  const all = REQUESTS.flatMap((request) =>
    Array.from({ length: perDay[request] }, (_, index) => [(index + 0.5) / perDay[request], request] as const)
  ).toSorted((one, other) => one[0] - other[0])
  return (turn) => all[turn % all.length]![1]
}

/** Measures the costs, then a mix in the proportions of the habits. Returns both, and what the costs predict for the mix. */
export const measureCosts = async (habits: Habits, foreign: number, measured: string) => {
  const dataDir = mkdtempSync(join(tmpdir(), "sheaf-capacity-"))
  const server = await startSheaf(dataDir)
  try {
    const places = await seed(dataDir, CALLERS)
    const callers = await Promise.all(places.map((place) => prepare(server.port, place, place)))
    const run = new Measured(server, callers, dataDir)
    const mix = mixOf(habits)
    const turns = [...REQUESTS.map((request) => sequences[request]), mix].map((next) => ({
      next,
      used: [] as Array<Used>
    }))
    for (let round = 0; round <= ROUNDS; round++) {
      for (const { next, used } of turns) {
        const turn = await run.drive(next)
        if (round > 0) used.push(turn)
      }
    }
    const [mixed, ...totals] = turns.map(({ used }) => leastDisturbed(used)).toReversed() as [Used, ...Array<Used>]
    const of = (request: Request, update?: Cost) =>
      costOf(request, totals.toReversed()[REQUESTS.indexOf(request)]!, update)
    const update = of("update")
    const all = Object.fromEntries(
      REQUESTS.map((request) => [request, of(request, request === "search" || request === "pull" ? update : undefined)])
    ) as Record<Request, Cost>
    const streams = await run.streams(all.create.node)
    const predicted = (of: keyof Cost) =>
      REQUESTS.reduce((sum, request) => sum + mixed.counts[request] * all[request][of], 0)
    await run.end()
    const found: Costs = { measured, requests: all, ...streams, foreign, indexed: INDEXED }
    const compared = MEMBERS.map((key) => [key, predicted(key), mixed[key]] as const)
    return { costs: found, compared, requests: Object.values(mixed.counts).reduce((sum, each) => sum + each, 0) }
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
