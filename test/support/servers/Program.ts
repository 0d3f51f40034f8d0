import { PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { eventually } from "../flows/eventually.ts"
import type { Server } from "../flows/Wire.ts"

const root = join(import.meta.dirname, "../../..")

/** The log message with the link for the first account, at each start while no account has a password. */
export const setupMessage = "open the link within an hour to create the first account"

/** The log messages of a run without problems, on a database without a password. */
export const normalLog = [setupMessage, "started", "stopping: open requests are finished first", "stopped"]

const running = new Set<Program>()

/** The command that starts Sheaf from the project folder. */
export const sheaf: readonly [node: string, main: string] = [process.execPath, "dist/main.js"]

/** Runs the real program (or another command) in its own process. */
export class Program {
  readonly child: ChildProcess
  readonly dataDir: string
  output = ""
  errors = ""
  /** The exit code, or the signal that ended the process. */
  readonly ended: Promise<number | NodeJS.Signals>

  /** The environment contains only `env` and PATH. */
  constructor(
    env: { readonly DATA_DIR: string } & Readonly<Record<string, string>>,
    terminal = false,
    command: ReadonlyArray<string> = sheaf
  ) {
    this.dataDir = env.DATA_DIR
    const [file, ...args] = terminal ? ["script", "-qefc", `exec ${command.join(" ")}`, "/dev/null"] : command
    this.child = spawn(file!, args, {
      cwd: root,
      env: { PATH: process.env["PATH"]!, ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    this.child.stdout!.on("data", (text) => (this.output += text))
    this.child.stderr!.on("data", (text) => (this.errors += text))
    running.add(this)
    this.ended = once(this.child, "close").then(([code, signal]) => {
      running.delete(this)
      return code ?? signal
    })
  }

  /** Waits until Sheaf serves, and returns its URL. */
  async url(): Promise<string> {
    return eventually("Sheaf serves", () => {
      if (!running.has(this)) throw new Error(`Sheaf ended: ${this.output}${this.errors}`)
      // On a terminal it prints a text for users, otherwise one log line.
      return (
        /Sheaf serves (\S+)[\s\S]*Ctrl-C/.exec(this.output) ??
        /^\{"message":"started".*"url":"([^"]+)"/m.exec(this.errors)
      )?.[1]
    })
  }

  /** The entries of its log, which is JSON when there is no terminal. */
  get log(): ReadonlyArray<{ readonly message: string; readonly annotations?: any }> {
    return this.errors
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
  }

  /** Waits until Sheaf serves, and returns its URL and API key. */
  async server(): Promise<Server> {
    const url = await this.url()
    return { url, key: JSON.parse(readFileSync(join(this.dataDir, "bootstrap.json"), "utf8")).api_key }
  }

  kill(signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
    this.child.kill(signal)
    return this.ended
  }

  /** Kills Sheaf on a terminal, where it is the child of the process that provides the terminal. */
  killOnTerminal(signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
    const { pid } = this.child
    process.kill(Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")), signal)
    return this.ended
  }
}

/** Stops the programs that tests left running, each with its PostgreSQL. */
export const endPrograms = () => Promise.all([...running].map((program) => program.kill("SIGTERM")))

const directory = (dataDir: string) => join(dataDir, "postgres")

/** The process id of the embedded PostgreSQL, if its file exists. */
export const postmasterOf = (dataDir: string): number | undefined => {
  const file = join(directory(dataDir), "cluster", "postmaster.pid")
  // The file exists a moment before it contains the process id.
  return existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) || undefined : undefined
}

/** Whether a process is running; zombies are not. */
export const runs = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}

/** Runs a query on the program's embedded database, on a separate connection. */
export const sqlOf =
  (dataDir: string) =>
  (text: string): Promise<ReadonlyArray<any>> =>
    PgConnection.make({ host: directory(dataDir), port: 5432, username: "sheaf", database: "sheaf" }).pipe(
      Effect.flatMap((connection) => connection.query(text)),
      Effect.map(({ rows }) => rows),
      Effect.scoped,
      Effect.runPromise
    )
