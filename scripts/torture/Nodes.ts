/** Nodes in processes of their own, on one embedded PostgreSQL, which can be killed, stopped, cut off and moved in time. */
import { PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"
import { execFile, execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdirSync, mkdtempSync, rmSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { Random } from "../../src/program/testing/Random.ts"
import { eventually } from "../../test/support/flows/eventually.ts"
import { inconsistencies } from "../../test/support/flows/Ledger.ts"
import { CuttingProxy } from "../../test/support/servers/CuttingProxy.ts"
import { freePort } from "../../test/support/servers/freePort.ts"
import { HookSink } from "../../test/support/servers/HookSink.ts"
import { Program, sheaf } from "../../test/support/servers/Program.ts"
import { PostgresProxy } from "../../test/support/storage/PostgresProxy.ts"
import { postgresOf } from "../bench/Target.ts"
import { killWithWorkers, replaceWorkers, signal, workersOf } from "./NodeWorkers.ts"
import type { Outside } from "./Outside.ts"
import type { Stage } from "./Stage.ts"

const clock = join(import.meta.dirname, "../../test/support/replicas/JumpingClock.ts")
const diskSize = "1500m"
/** Bytes of a full disk that cannot be reserved at once. */
const reserved = 65_536
/** Starts after which a node that ends is not started again. */
const maxStarts = 5
/** The checks of `doctor` take seconds: it runs after every tenth history. */
const historiesPerDoctor = 10

interface Node {
  readonly port: number
  /** The way of clients to the node. */
  readonly proxy: CuttingProxy
  program: Program
  /** Restarts of one node follow each other. */
  starting: Promise<void>
}

/** Mounts a small disk. Returns whether that is possible here. */
const mount = (folder: string): boolean => {
  mkdirSync(folder)
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${diskSize},mode=755`, "tmpfs", folder], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

export class Nodes implements Stage {
  private readonly folder = mkdtempSync(join(tmpdir(), "sheaf-torture-"))
  private readonly disk = join(this.folder, "disk")
  readonly hasDisk = mount(this.disk)
  readonly dataDir = join(this.disk, "data")
  readonly filler = join(this.disk, "filler")
  readonly all: Array<Node> = []
  readonly sink: HookSink
  /** An S3 and a Redis, if the nodes use them. */
  readonly outside: Outside | undefined
  /** Number of processes of a node that serve; its parent is one more if there are several. */
  readonly workers: number
  /** The way of further nodes to PostgreSQL; the first one starts it, and has its own socket. */
  database: PostgresProxy | undefined
  private postgresPort = 0
  private readonly programs: Array<Program> = []
  /** Milliseconds by which the clocks are ahead. */
  ahead = 0
  /** Number of faults that have begun, and of those that have not ended. */
  readonly faults = { begun: 0, running: 0 }
  private readonly refused: Array<string> = []
  private inspections = 0
  private backups = 0
  private isRestored = false
  private readonly secret = randomBytes(32).toString("base64")

  private constructor(sink: HookSink, outside: Outside | undefined, workers: number) {
    this.sink = sink
    this.outside = outside
    this.workers = workers
  }

  static async start(count: number, seed: number, outside?: Outside, workers = 1): Promise<Nodes> {
    const nodes = new Nodes(await HookSink.start(), outside, workers)
    try {
      for (let index = 0; index < count; index++) await nodes.add(index, await freePort(), seed + index)
      return nodes
    } catch (error) {
      await nodes.stop()
      throw error
    }
  }

  get origins(): ReadonlyArray<string> {
    return this.all.map(({ proxy }) => new URL(proxy.url).origin)
  }

  get files(): string | undefined {
    return this.outside?.proxies.S3.url
  }

  private env(index: number, port: number) {
    const socket = encodeURIComponent(this.database?.socketDirectory ?? "")
    return {
      DATA_DIR: this.dataDir,
      PORT: String(port),
      PUBLIC_URL: this.origins[0] ?? `http://127.0.0.1:${port}`,
      SECRET_KEY: this.secret,
      SIGN_UP: "open",
      PLAN_CHANGES: "owner",
      // Counted, and never reached.
      RATE_LIMIT: "1000000000",
      STREAMS_PER_CREDENTIAL: "100",
      WEBHOOK_ALLOW: "127.0.0.1",
      // Each history registers from an address of its own.
      TRUSTED_PROXIES: "127.0.0.1/32",
      LOG_LEVEL: "warn",
      CLOCK_AHEAD: String(this.ahead),
      WORKERS: String(this.workers),
      ...this.outside?.env,
      ...(index === 0 ? {} : { DATABASE_URL: `postgres://sheaf@localhost:${this.postgresPort}/sheaf?host=${socket}` })
    }
  }

  private program(index: number, port: number): Program {
    const program = new Program(this.env(index, port), false, [sheaf[0], "--import", clock, sheaf[1]])
    this.programs.push(program)
    return program
  }

  /** What the programs of all nodes have logged, also those that were killed. */
  get logs(): ReadonlyArray<string> {
    return this.programs.map(({ errors }) => errors)
  }

  private async add(index: number, port: number, seed: number): Promise<void> {
    const proxy = await CuttingProxy.start(new Random(seed))
    if (index === 1) {
      const { host, port } = postgresOf(this.dataDir)
      this.postgresPort = port
      this.database = new PostgresProxy({ socketDirectory: host, port })
    }
    this.all.push({ port, proxy, program: this.program(index, port), starting: Promise.resolve() })
    await this.ready(index)
    proxy.target = `http://127.0.0.1:${port}`
  }

  /** Waits until a node serves, with all its workers. One that ends, as without its database, is started again. */
  private async ready(index: number): Promise<void> {
    const node = this.all[index]!
    let starts = 0
    await eventually(`node ${index} serves`, () => {
      const { child, errors, output } = node.program
      if (child.exitCode !== null || child.signalCode !== null) {
        if (++starts > maxStarts) throw new Error(`node ${index} has ended: ${output}${errors}`)
        node.program = this.program(index, node.port)
      }
      if (this.workers > 1 && workersOf(node.program).length < this.workers) return false
      return fetch(`http://127.0.0.1:${node.port}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
        ({ ok }) => ok,
        () => false
      )
    })
  }

  /** Kills a node, whose workers end, and starts it again. */
  restart(index: number): Promise<void> {
    const node = this.all[index]!
    node.starting = node.starting.then(async () => {
      await killWithWorkers(node.program)
      await this.ready(index)
    })
    return node.starting
  }

  /** Has a node replace its workers in turn, which refuses no request unless another fault happens. */
  async replaceWorkers(index: number): Promise<void> {
    const { port, program } = this.all[index]!
    const { begun, running } = this.faults
    const refused = await replaceWorkers(program, port)
    if (running === 1 && this.faults.begun === begun && refused.size > 0)
      this.refused.push(`node ${index} refuses requests while its workers are replaced: ${[...refused].join(", ")}`)
  }

  /** Runs a statement next to the nodes. */
  sql(text: string): Promise<ReadonlyArray<any>> {
    const { host, port, user } = postgresOf(this.dataDir)
    return PgConnection.make({ host, port, username: user, database: "sheaf" }).pipe(
      Effect.flatMap((connection) => connection.query(text)),
      // Counts are BigInts, which JSON does not have.
      Effect.map(({ rows }) =>
        JSON.parse(JSON.stringify(rows, (_, value) => (typeof value === "bigint" ? Number(value) : value)))
      ),
      Effect.scoped,
      Effect.runPromise
    )
  }

  /** Kills all nodes and starts them later, with the clock of the database, with which they compare their own. */
  async leap(millis: number): Promise<void> {
    this.ahead += millis
    await this.sql(
      `CREATE OR REPLACE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
        'SELECT pg_catalog.clock_timestamp() + interval ''${this.ahead} ms'''`
    )
    await this.sql("ALTER DATABASE sheaf SET search_path = public, pg_catalog")
    for (const index of this.all.keys()) await this.restart(index)
  }

  /** Runs a command of operators on the data. */
  private async command(...args: ReadonlyArray<string>): Promise<unknown> {
    const env = { PATH: process.env["PATH"]!, ...this.env(0, this.all[0]!.port) }
    return promisify(execFile)(sheaf[0], ["--import", clock, sheaf[1], ...args], { env })
  }

  async backup(): Promise<string | undefined> {
    // The clock of the database is a part of the data that a backup does not have.
    if (this.ahead > 0) return undefined
    const file = join(this.folder, `backup-${++this.backups}.tar.zst`)
    await this.command("backup", file)
    return file
  }

  async restore(backup: string): Promise<boolean> {
    if (this.ahead > 0) return false
    // PostgreSQL ends with the first node, which waits for it.
    for (const { program } of this.all.toReversed()) await program.kill("SIGTERM")
    rmSync(this.dataDir, { recursive: true, force: true })
    await this.command("restore", backup)
    rmSync(backup)
    this.isRestored = true
    for (const index of this.all.keys()) await this.ready(index)
    return true
  }

  async heal(): Promise<void> {
    rmSync(this.filler, { force: true })
    this.outside?.heal()
    this.database?.cuts.splice(0)
    this.database?.thaw()
    for (const [index, node] of this.all.entries()) {
      node.proxy.isCutting = false
      await node.starting
      node.program.child.kill("SIGCONT")
      for (const pid of workersOf(node.program)) signal(pid, "SIGCONT")
      await this.ready(index)
    }
  }

  async inspect(): Promise<ReadonlyArray<string>> {
    const all = [...this.refused.splice(0), ...(await inconsistencies((text) => this.sql(text)))]
    // Versions after a restore are above all of the lost part.
    const found = this.isRestored ? all.filter((each) => !each.includes("history has no gap")) : all
    if (this.inspections++ % historiesPerDoctor !== 0) return found
    const doctor = await this.command("doctor").then(
      () => [],
      ({ stderr, stdout }) => [`doctor: ${stdout}${stderr}`.slice(0, 2_000)]
    )
    return [...found, ...doctor]
  }

  /** Bytes that are free on the small disk. */
  get free(): number {
    const { bavail, bsize } = statfsSync(this.disk)
    return bavail * bsize - reserved
  }

  async stop(): Promise<void> {
    rmSync(this.filler, { force: true })
    for (const { program } of this.all.toReversed()) {
      program.child.kill("SIGCONT")
      await program.kill("SIGTERM")
    }
    for (const { proxy } of this.all) await proxy.stop()
    this.database?.stop()
    await this.sink.stop()
    await this.outside?.stop()
    if (this.hasDisk) execFileSync("umount", ["-l", this.disk])
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}
