import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"

/** A reply of a client: one line with an object of JSON. */
export type Reply = Readonly<Record<string, any>>

/** What a client did wrong, in a sentence. */
export class ClientFault extends Error {
  override readonly name = "ClientFault"
}

/** The command cannot be run, so that no scene can be played. */
export class CommandError extends Error {
  override readonly name = "CommandError"
}

/** Maximum characters of what a client has written that are shown. */
const longestShown = 300
const shown = (text: string): string => (text.length > longestShown ? `${text.slice(0, longestShown)}…` : text)

/** The processes that run. They end with this process, however they hang. */
const running = new Set<ClientProcess>()
process.on("exit", () => running.forEach((each) => each.endGroup()))

const parsed = (line: string): Reply | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** A process of a client, to which commands are given, one at a time. */
export class ClientProcess {
  readonly #child: ChildProcess
  readonly #deadline: number
  readonly #ended: Promise<string>
  #pending: PromiseWithResolvers<Reply> | undefined
  #fault: ClientFault | undefined
  /** The end of its standard error. */
  #errors = ""

  constructor([file = "", ...args]: ReadonlyArray<string>, deadline: number) {
    this.#deadline = deadline
    // A group of its own, so that what it has started ends with it.
    this.#child = spawn(file, args, { stdio: "pipe", detached: true })
    running.add(this)
    this.#ended = new Promise((resolve, reject) => {
      this.#child.once("error", (error) => reject(new CommandError(`${file} cannot be run: ${error.message}`)))
      this.#child.once("close", (code, signal) => resolve(`${signal ?? `code ${code}`}`))
    })
    this.#ended.then(
      (how) => this.#stop(new ClientFault(`the client has ended with ${how}${this.#trace()}`)),
      (error) => this.#stop(error)
    )
    createInterface(this.#child.stdout!).on("line", (line) => this.#take(line))
    this.#child.stderr!.on("data", (text) => (this.#errors = (this.#errors + text).slice(-2_000)))
    // A process that has ended reads no input: its end is reported.
    this.#child.stdin!.on("error", () => {})
  }

  #trace(): string {
    return this.#errors === "" ? "" : `, after it wrote: ${this.#errors.trim().slice(-longestShown)}`
  }

  #stop(fault: ClientFault): void {
    running.delete(this)
    this.#fault ??= fault
    this.#pending?.reject(this.#fault)
  }

  #take(line: string): void {
    const reply = parsed(line)
    if (reply !== undefined && this.#pending !== undefined) return this.#pending.resolve(reply)
    const what = reply === undefined ? "a line that is no object of JSON" : "a line without a command"
    this.#stop(new ClientFault(`the client wrote ${what}: ${shown(line)}`))
    this.endGroup()
  }

  /** Gives a command, and returns the reply. Ends a client that does not reply in time. */
  async ask(command: string, input: object = {}): Promise<Reply> {
    if (this.#fault !== undefined) throw this.#fault
    this.#pending = Promise.withResolvers()
    const timer = setTimeout(() => {
      this.#stop(new ClientFault(`the client did not reply to ${command} in ${this.#deadline / 1000} seconds`))
      this.endGroup()
    }, this.#deadline)
    this.#child.stdin!.write(`${JSON.stringify({ command, ...input })}\n`)
    try {
      return await this.#pending.promise
    } finally {
      clearTimeout(timer)
      this.#pending = undefined
    }
  }

  endGroup(): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, "SIGKILL")
    } catch {
      // The group has ended.
    }
  }

  /** Kills it, and all that it has started. */
  async kill(): Promise<void> {
    this.endGroup()
    await this.#ended.catch(() => {})
  }

  /** Lets it end by itself. */
  async close(): Promise<void> {
    await this.ask("close")
    this.#child.stdin!.end()
    const timer = setTimeout(() => this.endGroup(), this.#deadline)
    const how = await this.#ended
    clearTimeout(timer)
    if (how !== "code 0") throw new ClientFault(`the client ended with ${how} after close${this.#trace()}`)
  }
}
