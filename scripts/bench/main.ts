/**
 * Measures Sheaf against a hand-written baseline on the same PostgreSQL and the same Node.
 *   node scripts/bench/main.ts [--quick] [--only create,get] [--rounds 5] [--seconds 3] [--connections 32] [--check]
 *     [--without-sheaf]
 * Beside the operations, `--only` knows `listeners`: how long a write takes to reach a thousand open streams; `restart`:
 * from the start of the process, its PostgreSQL included, to the first authenticated read of 10 000 notes; `limits`: what
 * the rate limiter costs, in memory and on Redis; `logins`: gets while eight clients sign in all the time; `files`: how
 * fast they come and go, beside a plain pipeline; `uploads`: gets while eight files are sent all the time;
 * `file-memory`: what a file of 1 GiB takes; and `around-notes`: comments, reminders, shares and their pages beside notes;
 * `reminders`: 10 000 that are due at one moment, on two nodes.
 * `webhooks`: how soon and how fast they reach ten endpoints; `retries`: how late second tries come beside slow endpoints.
 * `exports`: 100 000 notes beside a bare loop, and gets meanwhile; `imports`: a vault and an export of Evernote beside one.
 * `--check`: exit code 1 when a ratio misses its must. `--without-sheaf`: the baselines alone, on the PostgreSQL that
 * BENCH_PGHOST (a socket directory or a host), BENCH_PGPORT and BENCH_PGUSER name.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { parseArgs } from "node:util"
import pg, { type Pool } from "pg"
import type { Arrivals, ListenersTask } from "./listeners.ts"
import type { FileSpeed } from "./fileLoad.ts"
import { measureExports } from "./exports.ts"
import { measureImports } from "./imports.ts"
import { measureFileMemory } from "./fileMemory.ts"
import { measureFileSpeed, measureUploads } from "./fileSpeed.ts"
import { measureLimits } from "./limits.ts"
import type { Measure, Measurement, Task } from "./load.ts"
import { measureLogIns } from "./logins.ts"
import { median } from "./median.ts"
import { type FilledWorkspace, operations } from "./operations.ts"
import { measureAroundNotes } from "./aroundNotes.ts"
import { memory, parentOf } from "./processes.ts"
import { measureReminders } from "./reminders.ts"
import { measureRetries } from "./retries.ts"
import { measureWebhooks } from "./webhooks.ts"
import {
  fill,
  type PostgresConnection,
  postgresConnection,
  seed,
  startBaseline,
  startSheaf,
  type Target
} from "./Target.ts"

const WORKSPACES = 32

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    rounds: { type: "string" },
    seconds: { type: "string" },
    connections: { type: "string", default: "32" },
    check: { type: "boolean", default: false },
    "without-sheaf": { type: "boolean", default: false }
  }
})
const rounds = Number(options.rounds ?? (options.quick ? 1 : 5))
const seconds = Number(options.seconds ?? (options.quick ? 1.5 : 3))
const connections = Number(options.connections)
const warmUpSeconds = options.quick ? 0.5 : 1
const others = [
  "listeners",
  "restart",
  "limits",
  "logins",
  "files",
  "uploads",
  "file-memory",
  "around-notes",
  "reminders",
  "webhooks",
  "retries",
  "exports",
  "imports"
]
const asked = options.only?.split(",") ?? [...Object.keys(operations), ...others]
for (const name of asked) {
  if (!operations[name] && !others.includes(name)) {
    throw new Error(`--only ${name}: not one of ${[...Object.keys(operations), ...others].join(", ")}`)
  }
}
const chosen = asked.filter((name) => operations[name])

interface Runner extends Target {
  readonly filled: readonly FilledWorkspace[]
  readonly idleMemory: number
  readonly results: Map<string, Measurement[]>
}

const note = (line: string): void => console.error(line)

const onDatabase = async <A>(postgres: PostgresConnection, database: string, run: (pool: Pool) => Promise<A>) => {
  const pool = new pg.Pool({ ...postgres, database, max: 1 })
  return await run(pool).finally(() => pool.end())
}
const rowsOf = <Row>(postgres: PostgresConnection, sql: string): Promise<Row[]> =>
  onDatabase(postgres, "postgres", async (pool) => (await pool.query<Row>(sql)).rows)

/** All begin with fresh statistics, and no vacuum of the filling falls into a measurement. */
const settle = async (postgres: PostgresConnection): Promise<void> => {
  const databases = await rowsOf<{ datname: string }>(postgres, "SELECT datname FROM pg_database WHERE datallowconn")
  for (const { datname } of databases) {
    if (datname !== "template1") await onDatabase(postgres, datname, (pool) => pool.query("VACUUM ANALYZE"))
  }
  await rowsOf(postgres, "CHECKPOINT")
}

const inChild = async <A>(file: string, task: unknown, what: string): Promise<A> => {
  const child = spawn(process.execPath, [join(import.meta.dirname, file)], { stdio: ["pipe", "pipe", "inherit"] })
  child.stdin.on("error", () => {}).end(JSON.stringify(task))
  const exited = new Promise((resolve) => child.on("exit", resolve))
  const output = await text(child.stdout)
  if ((await exited) !== 0) throw new Error(`${what} failed`)
  return JSON.parse(output)
}

const measurer =
  (postmaster: number): Measure =>
  ({ name, pid, port }, operation, workspaces, { logIns = [], ...more } = {}) => {
    const processes = { server: pid, postmaster, ...more }
    const task: Task = { operation, port, connections, workspaces, warmUpSeconds, seconds, processes, logIns }
    return inChild<Measurement>("load.ts", task, `${operation} on ${name}`)
  }

const LISTENERS = 1000

/** How long a write takes to reach all listeners, of (a) and Sheaf, in turns. */
const measureListeners = async (runners: readonly Runner[]): Promise<string[]> => {
  const results = new Map<string, Arrivals[]>()
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, port, filled } of runners.filter((it) => letterOf(it) !== "b")) {
      const task: ListenersTask = { port, workspaces: filled, listeners: LISTENERS, writes: options.quick ? 32 : 128 }
      const arrivals = await inChild<Arrivals>("listeners.ts", task, `listeners on ${name}`)
      note(
        `round ${round + 1}/${rounds} listeners ${name} p50 ${arrivals.p50.toFixed(1)} ms p99 ${arrivals.p99.toFixed(1)} ms`
      )
      results.set(name, [...(results.get(name) ?? []), arrivals])
    }
  }
  return [...results].map(([name, all]) => {
    const sum = (key: "delivered" | "expected"): number => all.reduce((total, it) => total + it[key], 0)
    const of = (key: "p50" | "p99"): string => median(all.map((it) => it[key])).toFixed(1)
    return `${LISTENERS} listeners, ${name}: ${sum("delivered")} of ${sum("expected")} delivered, p50 ${of("p50")} ms, p99 ${of("p99")} ms`
  })
}

/** From the start of a process on `directory`, which has 10 000 notes, to its first authenticated read. */
const measureRestart = async (): Promise<string> => {
  const directory = join(dataDir, "restart")
  let sheaf = await startSheaf(directory)
  const workspaces = await seed(directory, 10)
  await fill({ ...sheaf, workspaces })
  await sheaf.stop()
  const seconds: number[] = []
  for (let round = 0; round < Math.max(rounds, 3); round += 1) {
    const started = performance.now()
    sheaf = await startSheaf(directory, { key: workspaces[0]!.key })
    seconds.push((performance.now() - started) / 1000)
    note(`restart ${seconds.at(-1)!.toFixed(2)} s`)
    await sheaf.stop()
  }
  return `restart to the first authenticated read, 10 000 notes, PostgreSQL included: ${median(seconds).toFixed(2)} s`
}

const letterOf = ({ name }: Runner): string => name.slice(1, 2)

const table = (runners: readonly Runner[]): { lines: string[]; under: string[] } => {
  const column = (texts: readonly string[]): string =>
    texts.map((it, at) => (at < 2 ? it.padEnd(at ? 29 : 12) : it.padStart(at === 7 ? 12 : 10))).join("")
  const heads = [
    "operation",
    "server",
    "req/s",
    "p50 ms",
    "p99 ms",
    "/CPU-s",
    "with pg",
    "CPU to (a)",
    "to (b)",
    "to (a)"
  ]
  const lines = [`${column(heads)}  least–most  must`]
  const under: string[] = []
  for (const name of chosen) {
    const { must } = operations[name]!
    for (const runner of runners) {
      const own = runner.results.get(name)
      if (!own) continue
      const of = (key: keyof Measurement, digits: number): string => median(own.map((it) => it[key])).toFixed(digits)
      const ratios = (letter: string, key: keyof Measurement): number[] => {
        const other = runners.find((it) => letterOf(it) === letter)?.results.get(name)
        return other && letter < letterOf(runner) ? own.map((it, round) => it[key] / other[round]![key]) : []
      }
      const ratio = (of: number[]): string => (of.length ? median(of).toFixed(2) : "")
      const toA = ratios("a", "requestsPerSecond")
      const texts = [
        ...[letterOf(runner) === "a" ? name : "", runner.name, of("requestsPerSecond", 0), of("p50", 2), of("p99", 2)],
        ...[of("perServerCpuSecond", 0), of("perCpuSecond", 0), ratio(ratios("a", "perCpuSecond"))],
        ...[ratio(ratios("b", "requestsPerSecond")), ratio(toA)]
      ]
      const range = toA.length ? `  ${Math.min(...toA).toFixed(2)}–${Math.max(...toA).toFixed(2)}` : ""
      const judged = letterOf(runner) === "c"
      const reached = median(toA) >= must
      if (judged && !reached) under.push(`${name} ${ratio(toA)} < ${must}`)
      lines.push(
        `${column(texts)}${range}${judged ? `   ${must.toFixed(1)} ${reached ? "ok" : "UNDER"}` : ""}`.trimEnd()
      )
    }
  }
  lines.push("")
  for (const { name, idleMemory, results } of runners) {
    const loaded = Math.max(idleMemory, ...[...results.values()].flat().map((it) => it.memory))
    lines.push(`memory ${name}: ${idleMemory.toFixed(0)} MB idle, ${loaded.toFixed(0)} MB under load at most`)
  }
  const all = runners.flatMap((it) => [...it.results.values()].flat())
  const cores = (key: "generator" | "others"): string =>
    `${median(all.map((it) => it[key])).toFixed(2)} cores (at most ${Math.max(...all.map((it) => it[key])).toFixed(2)})`
  lines.push(`the load generator used ${cores("generator")}, processes outside of the bench ${cores("others")}`)
  return { lines, under }
}

const dataDir = mkdtempSync(join(tmpdir(), "sheaf-bench-"))
const stops: Array<() => Promise<void>> = []
let cleaning: Promise<void> | undefined
const cleanUp = (): Promise<void> =>
  (cleaning ??= (async () => {
    for (const stop of stops.toReversed()) await stop()
    rmSync(dataDir, { recursive: true, force: true })
  })())
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void cleanUp().finally(() => process.exit(130)))
}

const bench = async (): Promise<void> => {
  const runners: Runner[] = []
  const add = async (target: Target): Promise<void> => {
    const idleMemory = memory(target.pid)
    note(`filling ${target.name}`)
    runners.push({ ...target, idleMemory, filled: await fill(target), results: new Map() })
  }
  const started = <A extends { stop: () => Promise<void> }>(it: A): A => (stops.push(it.stop), it)

  const sheaf = options["without-sheaf"] ? undefined : started(await startSheaf(dataDir))
  const postgres = postgresConnection(dataDir)
  if (chosen.length > 0 || asked.includes("listeners")) {
    await add(started(await startBaseline("single", postgres, WORKSPACES)))
    await add(started(await startBaseline("group", postgres, WORKSPACES)))
  }
  if (sheaf) await add({ ...sheaf, workspaces: await seed(dataDir, WORKSPACES) })
  await settle(postgres)

  const [server] = await rowsOf<{ pid: number; version: string }>(
    postgres,
    "SELECT pg_backend_pid() AS pid, current_setting('server_version') AS version"
  )
  // The process that answered is gone by now and cannot tell its parent: ask one that stays.
  const [checkpointer] = await rowsOf<{ pid: number }>(
    postgres,
    "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'"
  )
  const measure = measurer(parentOf(checkpointer!.pid))

  for (let round = 0; round < rounds; round += 1) {
    for (const name of chosen) {
      for (let at = 0; at < runners.length; at += 1) {
        const runner = runners[(at + round) % runners.length]!
        if (runner.name.startsWith("(b)") && !operations[name]!.writes) continue
        const measurement = await measure(runner, name, runner.filled)
        note(`round ${round + 1}/${rounds} ${name} ${runner.name} ${measurement.requestsPerSecond.toFixed(0)}/s`)
        runner.results.set(name, [...(runner.results.get(name) ?? []), measurement])
      }
    }
  }
  const further: string[] = []
  if (asked.includes("listeners")) further.push(...(await measureListeners(runners)))
  if (asked.includes("restart") && sheaf) further.push(await measureRestart())
  const { lines, under } = chosen.length > 0 ? table(runners) : { lines: [], under: [] }
  const own = runners.find((it) => letterOf(it) === "c")
  // From here on without the baselines, whose connections are needed.
  if (own) for (const it of runners) if (it !== own) await it.stop()
  if (asked.includes("limits") && own) {
    further.push(...(await measureLimits({ dataDir, postgres, filled: own.filled, rounds, measure, started })))
  }
  if (asked.includes("logins") && own) {
    const { line, over } = await measureLogIns({ target: own, filled: own.filled, rounds, measure })
    further.push("", line)
    if (over !== undefined) under.push(over)
  }
  const judged: Array<{ readonly lines: string[]; readonly missed: string[] }> = []
  if (asked.includes("files") && own) {
    const run = (task: unknown, what: string) => inChild<FileSpeed>("fileLoad.ts", task, what)
    judged.push(await measureFileSpeed({ dataDir, target: own, filled: own.filled, rounds, run }))
  }
  if (asked.includes("uploads") && own) {
    judged.push(await measureUploads({ target: own, filled: own.filled, rounds, measure }))
  }
  if (asked.includes("around-notes") && own) {
    judged.push(await measureAroundNotes({ target: own, filled: own.filled, rounds, measure }))
  }
  if (asked.includes("reminders") && own) {
    const inSheaf = <Row>(sql: string) =>
      onDatabase(postgres, "sheaf", async (pool) => (await pool.query(sql)).rows as Row[])
    judged.push(
      await measureReminders({ dataDir, postgres, target: own, filled: own.filled, rounds, measure, rowsOf: inSheaf })
    )
  }
  if (asked.includes("exports") && own) {
    const measured = onDatabase(postgres, "sheaf", (pool) => {
      const rowsOf = async <Row>(sql: string) => (await pool.query<Row>(sql)).rows
      return measureExports({ target: own, filled: own.filled, rounds, measure, rowsOf })
    })
    judged.push(await measured)
  }
  if (asked.includes("imports") && own) {
    const measured = onDatabase(postgres, "sheaf", (pool) => {
      const rowsOf = async <Row>(sql: string) => (await pool.query<Row>(sql)).rows
      return measureImports({ target: own, filled: own.filled, rounds, rowsOf })
    })
    judged.push(await measured)
  }
  if (asked.includes("file-memory") && sheaf) judged.push(await measureFileMemory(join(dataDir, "file-memory")))
  if (asked.includes("retries") && sheaf) judged.push(await measureRetries(join(dataDir, "retries")))
  if (asked.includes("webhooks") && sheaf) judged.push(await measureWebhooks(join(dataDir, "webhooks"), rounds))
  for (const { lines, missed } of judged) {
    further.push("", ...lines)
    under.push(...missed)
  }
  console.log(
    `Node ${process.version}, PostgreSQL ${server!.version}, ${cpus().length} cores, ${connections} connections,`
  )
  console.log(
    `${WORKSPACES} workspaces, 1 KB bodies, ${rounds} rounds of ${seconds} s; medians; ratios: median over the rounds`
  )
  console.log(`/CPU-s: requests per CPU-second of the server; with pg: of server and PostgreSQL\n`)
  console.log([...lines, ...further].join("\n"))
  if (under.length > 0) console.log(`\nmissed: ${under.join(", ")}`)
  if (options.check && under.length > 0) process.exitCode = 1
}

try {
  await bench()
} catch (error) {
  // After an interrupt the servers are gone, and what fails is only that.
  if (!cleaning) console.error(error)
  process.exitCode = cleaning ? 130 : 1
}
await cleanUp()
process.exit()
