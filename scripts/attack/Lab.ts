/** The attacked server and its users. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { childrenOf, parentOf } from "../bench/processes.ts"
import { postgresOf, seed, type Started, startSheaf, type Workspace } from "../bench/Target.ts"
import { Client } from "./Client.ts"

/** Small enough that an attack fills the free plan within a short run. */
export const FREE_STORAGE_MB = 28

/** Everything else is as in an ordinary start, and no outside service is used. */
const environment = {
  SIGN_UP: "open",
  PLAN_LIMITS: JSON.stringify({ free: { storage_bytes: FREE_STORAGE_MB * 1024 * 1024 } }),
  RATE_LIMIT: "",
  SEARCH_MEMORY: "",
  STREAMS_PER_CREDENTIAL: "",
  HOST: "127.0.0.1",
  PUBLIC_URL: "",
  S3_ENDPOINT: "",
  S3_BUCKET: "",
  S3_REGION: "",
  S3_ACCESS_KEY_ID: "",
  S3_SECRET_ACCESS_KEY: "",
  SMTP_URL: "",
  TRUSTED_PROXIES: "",
  // Endpoints of the attackers are on this machine.
  WEBHOOK_ALLOW: "127.0.0.1",
  METRICS_TOKEN: "",
  BOOTSTRAP_API_KEY: "",
  OTEL_EXPORTER_OTLP_ENDPOINT: "",
  LOG_LEVEL: "error"
}

const databaseUrl = (dataDir: string): string => {
  const { host, port, user } = postgresOf(dataDir)
  return `postgres://${user}@localhost:${port}/sheaf?host=${encodeURIComponent(host)}`
}

export class Server {
  readonly port: number
  readonly pid: number
  readonly dataDir: string
  /** The workspace of the measured user, with another plan, so that measuring is not limited. */
  readonly other: Workspace
  readonly #free: Array<Workspace>
  readonly #stop: () => Promise<void>
  #node: Promise<Started> | undefined

  private constructor(
    given: { readonly port: number; readonly pid: number; readonly stop: () => Promise<void> },
    dataDir: string,
    [other, ...free]: ReadonlyArray<Workspace>
  ) {
    this.port = given.port
    this.pid = given.pid
    this.#stop = given.stop
    this.dataDir = dataDir
    this.other = other!
    this.#free = free
  }

  /** Starts a fresh server with this number of attackers on the free plan. */
  static async start(attackers: number): Promise<Server> {
    const dataDir = mkdtempSync(join(tmpdir(), "sheaf-attack-"))
    try {
      const started = await startSheaf(dataDir, { env: environment })
      const [others, free] = await Promise.all([seed(dataDir, 1), seed(dataDir, attackers, { plan: "free" })])
      return new Server(started, dataDir, [...others, ...free])
    } catch (error) {
      rmSync(dataDir, { recursive: true, force: true })
      throw error
    }
  }

  /** A user on the free plan who has done nothing yet. */
  takeAttacker(): Workspace {
    const taken = this.#free.pop()
    if (taken === undefined) throw new Error("no attackers left")
    return taken
  }

  /** The port of a second node on the same database and files; the first call starts it. */
  async secondNode(): Promise<number> {
    this.#node ??= startSheaf(this.dataDir, { env: { ...environment, DATABASE_URL: databaseUrl(this.dataDir) } })
    return (await this.#node).port
  }

  async #stopNode(): Promise<void> {
    const node = await this.#node?.catch(() => undefined)
    this.#node = undefined
    await node?.stop()
  }

  /** Stops the process and its PostgreSQL, and deletes their data. */
  async stop(): Promise<void> {
    await this.#stopNode()
    await this.#stop()
    rmSync(this.dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }

  /** Kills a server that may no longer handle signals, and its PostgreSQL, which would continue to run queries. */
  async kill(): Promise<void> {
    await this.#stopNode()
    const children = childrenOf(this.pid)
    if (parentOf(this.pid) === process.pid) process.kill(this.pid, "SIGKILL")
    // SIGQUIT is PostgreSQL's immediate shutdown; it may have exited already when its parent ended.
    for (const child of children) if (parentOf(child) !== 0) process.kill(child, "SIGQUIT")
    for (let wait = 0; wait < 100 && children.some((child) => parentOf(child) !== 0); wait++) await sleep(100)
    await this.stop()
    // PostgreSQL's child processes end after it, and may write files again.
    await sleep(500)
    rmSync(this.dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }

  /** Returns the match in a mail to an address, as soon as it is in the outbox. */
  async mailed(address: string, wanted: RegExp): Promise<string> {
    const outbox = join(this.dataDir, "outbox")
    for (let wait = 0; wait < 100; wait++) {
      const letters = existsSync(outbox) ? readdirSync(outbox).filter((file) => file.endsWith(".eml")) : []
      for (const letter of letters.map((file) => readFileSync(join(outbox, file), "utf8"))) {
        const found = letter.includes(address) ? wanted.exec(letter) : null
        if (found !== null) return found[0]
      }
      await sleep(100)
    }
    throw new Error(`no mail to ${address}`)
  }

  /** Whether the server responds normally again within some milliseconds. */
  async recovers(milliseconds: number): Promise<boolean> {
    const until = performance.now() + milliseconds
    let good = 0
    while (performance.now() < until) {
      const began = performance.now()
      const headers = { authorization: `Bearer ${this.other.key}` }
      const replies = await Promise.all(
        ["/healthz", "/readyz", "/v2/notebooks"].map((path) =>
          fetch(`http://127.0.0.1:${this.port}${path}`, { headers, signal: AbortSignal.timeout(2000) }).then(
            async (reply) => (await reply.arrayBuffer(), reply.ok),
            () => false
          )
        )
      )
      good = replies.every(Boolean) && performance.now() - began < 200 ? good + 1 : 0
      if (good === 3) return true
      await sleep(50)
    }
    return false
  }
}

/** The access of one attack to the server. Everything that it opened ends with `signal`. */
export class Lab {
  readonly server: Server
  readonly #end = new AbortController()
  readonly signal = this.#end.signal

  constructor(server: Server) {
    this.server = server
  }

  /** Aborts everything that is still running. */
  end(): void {
    this.#end.abort()
  }

  client(
    credential?: string,
    more: {
      readonly connections?: number
      readonly address?: string
      readonly port?: number
      readonly patience?: number
    } = {}
  ): Client {
    const own = credential === undefined ? {} : { credential }
    return new Client({ port: this.server.port, signal: this.signal, ...own, ...more })
  }

  /** The measured user, from a separate address. */
  other(): Client {
    return this.client(this.server.other.key)
  }
}
