import { Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { systemRandomness } from "../../../services/Randomness.ts"
import * as Tokens from "../../../services/Tokens.ts"
import { currentDatabase, databaseUrl, dropDatabase, sqlOn } from "../servers/Databases.ts"
import { freePort } from "../servers/freePort.ts"
import { Program } from "../servers/Program.ts"

const clock = join(import.meta.dirname, "JumpingClock.ts")

/** Nodes with one database. Each keeps its port when it starts again. */
export class ServerNodes {
  readonly key = Redacted.value(Tokens.make(systemRandomness, "sfk"))
  readonly urls: ReadonlyArray<string>
  private readonly env: Readonly<Record<string, string>>
  private readonly database: string
  private readonly ports: ReadonlyArray<number>
  private readonly programs: Array<Program> = []
  /** Milliseconds by which the clocks of the nodes are ahead. */
  private ahead = 0

  private constructor(ports: ReadonlyArray<number>, database: string, folder: string, redis: string | undefined) {
    this.database = database
    this.ports = ports
    this.urls = ports.map((port) => `http://127.0.0.1:${port}/v2`)
    this.env = {
      DATABASE_URL: databaseUrl(database),
      SECRET_KEY: randomBytes(32).toString("base64"),
      BOOTSTRAP_API_KEY: this.key,
      PUBLIC_URL: `http://127.0.0.1:${ports[0]}`,
      RATE_LIMIT: "0",
      // All replicas have one key.
      STREAMS_PER_CREDENTIAL: "100",
      DATA_DIR: join(folder, "data"),
      ...(redis === undefined ? {} : { REDIS_URL: redis })
    }
  }

  static async start(count: number, folder: string, redis: string | undefined): Promise<ServerNodes> {
    const ports: Array<number> = []
    while (ports.length < count) ports.push(await freePort())
    const nodes = new ServerNodes(ports, await currentDatabase(), folder, redis)
    for (const index of ports.keys()) await nodes.startNode(index)
    return nodes
  }

  async startNode(index: number): Promise<void> {
    const env = {
      ...this.env,
      DATA_DIR: this.env["DATA_DIR"]!,
      PORT: String(this.ports[index]),
      CLOCK_AHEAD: String(this.ahead)
    }
    const program = new Program(env, false, [process.execPath, "--import", clock, "dist/main.js"])
    this.programs[index] = program
    await program.url()
  }

  kill(index: number): Promise<unknown> {
    return this.programs[index]!.kill("SIGKILL")
  }

  /** Kills all nodes and starts them two days later: all cursors have expired. */
  async leap(): Promise<void> {
    for (const program of this.programs) await program.kill("SIGKILL")
    this.ahead += 2 * 24 * 3600_000
    await this.leapOfDatabase()
    for (const index of this.ports.keys()) await this.startNode(index)
  }

  /** Sets the clock of the database, with which a node compares its own at its start. */
  private async leapOfDatabase(): Promise<void> {
    const statements = [
      `CREATE OR REPLACE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
        'SELECT pg_catalog.clock_timestamp() + interval ''${this.ahead} ms'''`,
      `ALTER DATABASE "${this.database}" SET search_path = public, pg_catalog`
    ]
    for (const statement of statements) await sqlOn(this.database, statement)
  }

  /** The text of all notes, also of those in the trash, and of their history. */
  async texts(): Promise<string> {
    const text = "SELECT title, body FROM notes UNION ALL SELECT title, body FROM note_versions"
    return JSON.stringify(await sqlOn(this.database, text))
  }

  async stop(): Promise<void> {
    for (const program of this.programs) await program.kill("SIGKILL")
    await dropDatabase(this.database)
  }
}
