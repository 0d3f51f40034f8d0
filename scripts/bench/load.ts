/**
 * One measurement, in a process of its own: reads a Task as JSON from stdin, prints a Measurement as JSON.
 * A wrong status or content ends it with exit code 1 and the answer on stderr.
 */
import { text } from "node:stream/consumers"
import { Connection, header, requestText } from "./Connection.ts"
import { type Caller, type FilledWorkspace, jsonOf, operations, PASSWORD } from "./operations.ts"
import { aroundOperations } from "./aroundOperations.ts"
import { cpuSeconds, cpuSecondsOfAll, memory, type Processes } from "./processes.ts"

export interface Task {
  readonly operation: string
  readonly port: number
  readonly connections: number
  readonly workspaces: readonly FilledWorkspace[]
  readonly warmUpSeconds: number
  readonly seconds: number
  readonly processes: Processes
  /** Those who sign in meanwhile, each again as soon as it is in. */
  readonly logIns?: readonly FilledWorkspace[]
}

export interface Measurement {
  readonly requestsPerSecond: number
  readonly p50: number
  readonly p99: number
  readonly perServerCpuSecond: number
  /** Of the server, PostgreSQL, and Redis if it counts there. */
  readonly perCpuSecond: number
  readonly logInsPerSecond: number
  /** MB of the server at the end. */
  readonly memory: number
  /** Cores that the load generator itself used. */
  readonly generator: number
  /** Cores that processes outside of the bench used: the noise. */
  readonly others: number
}

/** How `main.ts` has one made. */
export type Measure = (
  target: { readonly name: string; readonly pid: number; readonly port: number },
  operation: string,
  workspaces: readonly FilledWorkspace[],
  more?: { readonly redis?: number; readonly logIns?: readonly FilledWorkspace[] }
) => Promise<Measurement>

const SAMPLE_EVERY = 64

const task: Task = JSON.parse(await text(process.stdin))
const operation = operations[task.operation] ?? aroundOperations[task.operation]
if (!operation) throw new Error(`unknown operation ${task.operation}`)

const callers = Array.from({ length: task.connections }, (_, index): Caller => {
  const workspace = task.workspaces[operation.oneWorkspace ? 0 : index % task.workspaces.length] as FilledWorkspace
  return { workspace, connection: new Connection(task.port), prepared: [], sent: 0 }
})

const prepare = async ({ workspace, connection, prepared }: Caller): Promise<void> => {
  for (const id of operation.prepare ? workspace.notes.slice(-operation.prepare) : []) {
    const answer = await connection.exchange(requestText(workspace.key, "GET", `/v2/notes/${id}`))
    if (answer.status !== 200) throw new Error(`${answer.head}\n\n${answer.body}`)
    prepared.push({ id, version: jsonOf(answer).version, etag: header(answer.head, "etag") ?? "" })
  }
}
await Promise.all(callers.map(prepare))

let running = true
let latencies: number[] = []
let answered = 0
const run = async (caller: Caller): Promise<void> => {
  while (running) {
    const request = operation.request(caller)
    const started = performance.now()
    const answer = await caller.connection.exchange(request)
    if (!running) return
    latencies.push(performance.now() - started)
    if (answer.status !== operation.status) {
      throw new Error(
        `${task.operation}: ${answer.status} instead of ${operation.status}\n${answer.head}\n\n${answer.body}`
      )
    }
    operation.verify(answer, caller, answered++ % SAMPLE_EVERY === 0)
  }
}

let signedIn = 0
/** Any answer but 200 ends the measurement: one that was throttled would not have cost what a log-in costs. */
const logIn = async ({ email }: FilledWorkspace): Promise<void> => {
  const connection = new Connection(task.port)
  const device = { name: "Bench", platform: "bench" }
  const request = requestText(undefined, "POST", "/v2/auth/login", { email, password: PASSWORD, device })
  while (running) {
    const answer = await connection.exchange(request)
    if (answer.status !== 200 || !jsonOf(answer).access_token) {
      throw new Error(`log-in: ${answer.status} instead of 200\n${answer.head}\n\n${answer.body}`)
    }
    signedIn += 1
  }
  connection.close()
}
const sleep = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

const load = Promise.all([...callers.map(run), ...(task.logIns ?? []).map(logIn)]).catch((error: unknown) => {
  console.error(error)
  process.exit(1)
})
const measure = async (): Promise<Measurement> => {
  await sleep(task.warmUpSeconds)
  latencies = []
  signedIn = 0
  const cpuBefore = cpuSeconds(task.processes)
  const allBefore = cpuSecondsOfAll()
  const generatorBefore = process.cpuUsage()
  const started = performance.now()
  await sleep(task.seconds)
  const seconds = (performance.now() - started) / 1000
  const cpu = cpuSeconds(task.processes)
  const all = cpuSecondsOfAll() - allBefore
  const { user, system } = process.cpuUsage(generatorBefore)
  const generator = (user + system) / 1e6
  const logInsPerSecond = signedIn / seconds
  running = false
  const sorted = Float64Array.from(latencies).sort()
  if (sorted.length === 0) throw new Error(`${task.operation}: not one answer in ${seconds} s`)
  const quantile = (q: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] as number
  const server = Math.max(0.01, cpu.server - cpuBefore.server)
  const stores = cpu.stores - cpuBefore.stores
  return {
    requestsPerSecond: sorted.length / seconds,
    p50: quantile(0.5),
    p99: quantile(0.99),
    perServerCpuSecond: sorted.length / server,
    perCpuSecond: sorted.length / (server + stores),
    logInsPerSecond,
    memory: memory(task.processes.server),
    generator: generator / seconds,
    others: Math.max(0, all - server - stores - generator) / seconds
  }
}
console.log(JSON.stringify(await measure()))
await load
for (const { connection } of callers) connection.close()
