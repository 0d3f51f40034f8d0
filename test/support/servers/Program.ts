import { PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { eventually } from "../flows/eventually.ts"
import type { Server } from "../flows/Wire.ts"

const root = join(import.meta.dirname, "../../..")

/** What Sheaf logs of a life in which nothing went wrong. */
export const lifeLines = ["started", "stopping: requests under way are finished", "stopped"]

const running = new Set<Program>()

/** The command that runs Sheaf, from the folder of the project. */
export const sheaf: readonly [node: string, main: string] = [process.execPath, "dist/main.js"]

/** The real program, in a process of its own, unless another command is given. */
export class Program {
  readonly child: ChildProcess
  readonly dataDir: string
  output = ""
  errors = ""
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>

  /** With nothing in its environment but what is given. */
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

  /** Its address, once it serves. */
  async url(): Promise<string> {
    return eventually("Sheaf serves", () => {
      if (!running.has(this)) throw new Error(`Sheaf ended: ${this.output}${this.errors}`)
      // On a terminal for people, else one line of its log.
      return (
        /Sheaf serves (\S+)[\s\S]*Ctrl-C/.exec(this.output) ??
        /^\{"message":"started".*"url":"([^"]+)"/m.exec(this.errors)
      )?.[1]
    })
  }

  /** The lines of its log, which is JSON where there is no terminal. */
  get log(): ReadonlyArray<{ readonly message: string }> {
    return this.errors
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
  }

  async server(): Promise<Server> {
    const url = await this.url()
    return { url, key: JSON.parse(readFileSync(join(this.dataDir, "bootstrap.json"), "utf8")).api_key }
  }

  kill(signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
    this.child.kill(signal)
    return this.ended
  }

  /** On a terminal Sheaf is the child of what makes the terminal, which ends with it. */
  killOnTerminal(signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
    const { pid } = this.child
    process.kill(Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")), signal)
    return this.ended
  }
}

/** Ends what tests have left running, each with its PostgreSQL. */
export const endPrograms = () => Promise.all([...running].map((program) => program.kill("SIGTERM")))

const directory = (dataDir: string) => join(dataDir, "postgres")

/** The process of the embedded PostgreSQL, when its file says that there is one. */
export const postmasterOf = (dataDir: string): number | undefined => {
  const file = join(directory(dataDir), "cluster", "postmaster.pid")
  // It is there a moment before its number is.
  return existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) || undefined : undefined
}

export const runs = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}

/** One query beside the program, on its embedded database. */
export const sqlOf =
  (dataDir: string) =>
  (text: string): Promise<ReadonlyArray<any>> =>
    PgConnection.make({ host: directory(dataDir), port: 5432, username: "sheaf", database: "sheaf" }).pipe(
      Effect.flatMap((connection) => connection.query(text)),
      Effect.map(({ rows }) => rows),
      Effect.scoped,
      Effect.runPromise
    )
