import { Effect, Redacted } from "effect"
import { Command } from "effect/cli"
import { existsSync } from "node:fs"
import { defaultBootstrapEmail, load, type ReadVariable, type Settings, VariableReader } from "../Config.ts"
import { keyFile } from "../KeyCheck.ts"
import * as Output from "./Output.ts"

/** The values of variables that are not set and have a default. */
const defaults = (settings: Settings): Readonly<Record<string, string | number>> => ({
  PORT: settings.port,
  HOST: settings.host,
  PUBLIC_URL: settings.publicUrl,
  DATA_DIR: settings.dataDir,
  STREAMS_PER_CREDENTIAL: settings.streamsPerCredential,
  SEARCH_MEMORY: settings.searchMemory / 1024 / 1024,
  BOOTSTRAP_EMAIL: defaultBootstrapEmail,
  BACKUP_KEEP: settings.backupKeep,
  SIGN_UP: settings.policies.signUp,
  PLAN_CHANGES: settings.policies.planChanges,
  SHUTDOWN_DELAY: settings.shutdownDelay,
  LOG_LEVEL: settings.logLevel,
  LOG_FORMAT: settings.logFormat
})

const hidden = "(hidden)"

const shown = (settings: Settings, { name, value }: ReadVariable) => {
  if (value !== undefined) return { name, value: Redacted.isRedacted(value) ? hidden : value, source: "environment" }
  const file = keyFile(settings)
  if (name === "SECRET_KEY" && existsSync(file)) return { name, value: hidden, source: file }
  return { name, value: defaults(settings)[name] ?? null, source: "default" }
}

export const config = Command.make(
  "config",
  {},
  Effect.fnUntraced(function* () {
    const read: Array<ReadVariable> = []
    const settings = yield* Effect.provideService(load, VariableReader, (variable) => void read.push(variable))
    const all = read.map((variable) => shown(settings, variable))
    yield* Output.list(["name", "value", "source"], (last: (typeof all)[number] | undefined) =>
      Effect.succeed(last === undefined ? all : [])
    )
  })
).pipe(
  Command.withDescription(
    "Show each environment variable with its value, and whether that comes from the environment, a file or the default. " +
      "Secrets are hidden"
  ),
  Command.withExamples([
    { command: "sheaf config", description: "Show the configuration as a table" },
    { command: "sheaf config --json", description: "Show it as JSON, for a program" }
  ])
)
