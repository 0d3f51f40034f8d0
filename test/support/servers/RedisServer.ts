import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"
import { freePort } from "./freePort.ts"
import type { RedisBinary } from "./RedisSetup.ts"

/** A suffix for the names of tests that need a Redis: the reason why they are skipped, or empty. */
export const whyNoRedis = (): string => {
  const found = inject("redis")
  return "missing" in found ? ` (skipped: ${found.missing})` : ""
}

/** A Redis for one test, without persistence. */
export class RedisServer {
  readonly url: string
  private readonly binary: RedisBinary
  private readonly port: number
  private readonly directory = mkdtempSync(join(tmpdir(), "sheaf-redis-"))
  private child: ChildProcess | undefined

  private constructor(binary: RedisBinary, port: number) {
    this.binary = binary
    this.port = port
    this.url = `redis://127.0.0.1:${port}`
  }

  /** Starts the Redis of the run, or another one. */
  static async start(binary: RedisBinary = inject("redis")): Promise<RedisServer> {
    const server = new RedisServer(binary, await freePort())
    await server.start()
    return server
  }

  /** Starts it, empty, on the same port as before. */
  async start(): Promise<void> {
    const found = this.binary
    if ("missing" in found) throw new Error(found.missing)
    const child = spawn(
      found.path,
      ["--port", String(this.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", this.directory],
      {
        argv0: "redis-server",
        env: { ...process.env, LD_LIBRARY_PATH: found.libraries },
        stdio: ["ignore", "pipe", "pipe"]
      }
    )
    this.child = child
    await new Promise<void>((resolve, reject) => {
      let output = ""
      child.stdout!.on("data", (text) => {
        output += text
        if (output.includes("Ready to accept connections")) resolve()
      })
      child.once("exit", () => reject(new Error(`redis-server ended: ${output}`)))
    })
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.child!.pid!, signal)
  }

  /** Ends it as a power failure would. */
  async kill(): Promise<void> {
    const child = this.child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once("exit", resolve))
    child.kill("SIGKILL")
    await ended
  }

  async stop(): Promise<void> {
    await this.kill()
    rmSync(this.directory, { recursive: true, force: true })
  }
}
