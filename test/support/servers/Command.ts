import { ConfigProvider, Console, Context, Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { expect } from "vitest"
import { execute } from "../../../src/program/cli/Cli.ts"
import { sheaf as command } from "./Program.ts"

const root = join(import.meta.dirname, "../../..")
const [node, main] = command

export type Environment = Readonly<Record<string, string>>

export interface Ended {
  readonly code: number | NodeJS.Signals
  readonly output: string
  readonly errors: string
}

/** Starts an operator's command in its own process; the environment contains only what is given. */
export const startCommand = (env: Environment, args: string, input = "") => {
  const child = spawn(node, [main, ...args.split(" ")], {
    cwd: root,
    env: { PATH: process.env["PATH"]!, ...env }
  })
  let output = ""
  let errors = ""
  child.stdout.on("data", (text) => (output += text))
  child.stderr.on("data", (text) => (errors += text))
  // The command may end without reading its input.
  child.stdin.on("error", () => {})
  child.stdin.end(input)
  const ended: Promise<Ended> = once(child, "close").then(([code, signal]) => ({
    code: code ?? signal,
    output,
    errors
  }))
  return { child, ended }
}

/** Runs an operator's command to its end in this process, with only the given environment: that takes a fifth of the time. */
export const inProcess = async (
  env: Environment,
  args: string,
  references: Context.Context<never> = Context.empty()
): Promise<Ended> => {
  let output = ""
  let errors = ""
  const recording = Object.assign(Object.create(globalThis.console) as Console.Console, {
    log: (text: string) => (output += `${text}\n`),
    error: (text: string) => (errors += `${text}\n`)
  })
  const code = await execute(args.split(" ")).pipe(
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))),
    Effect.provideService(Console.Console, recording),
    Effect.provideContext(references),
    Effect.runPromise
  )
  return { code, output, errors }
}

/** Runs an operator's command to its end: in its own process if it has an input, which may be empty. */
export const sheaf = (env: Environment, args: string, input?: string): Promise<Ended> =>
  input === undefined ? inProcess(env, args) : startCommand(env, args, input).ended

/** Runs a command that must succeed, and returns its JSON output. */
export const done = async (env: Environment, args: string, input?: string): Promise<any> => {
  const { code, errors, output } = await sheaf(env, `${args} --json`, input)
  expect({ args, code, errors }).toEqual({ args, code: 0, errors: "" })
  return JSON.parse(output)
}

/** The end of a command that is refused with one line. */
export const refused = (pattern: RegExp) => ({
  code: 1,
  output: "",
  errors: expect.stringMatching(new RegExp(`^sheaf: [^\\n]*${pattern.source}[^\\n]*\\n$`))
})
