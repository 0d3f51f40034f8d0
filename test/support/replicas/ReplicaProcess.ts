import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type { TypedRecord } from "../adapters/AdapterScenario.ts"
import type { Asked, ReplicaSettings, Sent } from "./ReplicaProgram.ts"

const hour = 3600_000

type Records = ReadonlyArray<ReadonlyArray<TypedRecord>>

/** A process with replicas, which is killed and started again. */
export class ReplicaProcess {
  /** The words of the user that were stored. */
  readonly words: Array<string> = []
  readonly refused: Array<unknown> = []
  private readonly settings: ReplicaSettings
  private readonly onTyped: () => void
  private starts = 0
  /** Milliseconds by which the clock of its device is ahead. It is set back at each start. */
  private ahead = 48 * hour
  private child: ChildProcess | undefined
  private done = Promise.withResolvers<Records>()

  constructor(settings: ReplicaSettings, onTyped: () => void) {
    this.settings = settings
    this.onTyped = onTyped
  }

  get name(): string {
    return `${this.settings.name} ${this.settings.kind}`
  }

  /** Resolves when the replicas are open. */
  async start(): Promise<void> {
    this.starts++
    this.ahead -= hour
    const { name, seed } = this.settings
    const settings = { ...this.settings, name: `${name}s${this.starts}`, seed: seed + this.starts }
    this.done = Promise.withResolvers()
    const child = fork(join(import.meta.dirname, "ReplicaProgram.ts"), [JSON.stringify(settings)], {
      execArgv: ["--disable-warning=ExperimentalWarning"],
      env: { ...process.env, CLOCK_AHEAD: String(this.ahead) }
    })
    this.child = child
    child.on("message", (sent: Sent) => this.take(sent))
    child.once("exit", (code, signal) => {
      if (signal === "SIGKILL") this.done.resolve([])
      else this.done.reject(new Error(`the replicas ${name} ended with ${code ?? signal}`))
    })
    await this.done.promise
  }

  private take(sent: Sent): void {
    if ("done" in sent) return this.done.resolve(sent.done)
    if ("refused" in sent) return void this.refused.push(sent.refused)
    if ("jumped" in sent) return void (this.ahead += sent.jumped)
    this.words.push(sent.typed)
    this.onTyped()
  }

  private ask(asked: Asked): Promise<Records> {
    this.done = Promise.withResolvers()
    this.child!.send(asked)
    return this.done.promise
  }

  /** The user works for some steps, or until the process is killed. */
  async work(steps: number): Promise<void> {
    await this.ask({ steps })
  }

  /** The records of each replica, after an exchange with the server. */
  records(): Promise<Records> {
    return this.ask("records")
  }

  /** Ends the process. What it has sent arrives before the channel is closed. */
  async kill(): Promise<void> {
    const child = this.child!
    const ended = Promise.all([once(child, "exit"), once(child, "disconnect")])
    child.kill("SIGKILL")
    await ended
  }
}
