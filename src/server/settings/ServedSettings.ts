import { Context, Effect, Redacted } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { ServerSetting } from "../../../services/admin/ServerStatus.ts"
import { defaultBootstrapEmail, load, type ReadVariable, type Settings, VariableReader } from "./Config.ts"
import { misspelt } from "./Variables.ts"

/** The settings that the server was started with, as operators see them; none if they are not from the environment. */
export const ServedSettings = Context.Reference<ReadonlyArray<ServerSetting>>("sheaf/settings/ServedSettings", {
  defaultValue: () => []
})

/** Warnings about the environment that the server logs at its start. */
export const StartWarnings = Context.Reference<ReadonlyArray<string>>("sheaf/settings/StartWarnings", {
  defaultValue: () => []
})

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
  OIDC_LINK_BY_EMAIL: settings.linkByEmail ? "on" : "off",
  PASSWORD_SIGN_IN: settings.passwordSignIn ? "on" : "off",
  OPERATOR_SECOND_FACTOR: "off",
  SHUTDOWN_DELAY: settings.shutdownDelay,
  WORKERS: settings.workers,
  LOG_LEVEL: settings.logLevel,
  LOG_FORMAT: settings.logFormat
})

/** The file with the secret key when SECRET_KEY is not set. */
export const secretKeyFile = ({ dataDir }: Settings): string => join(dataDir, "secret.key")

const hidden = "(hidden)"

const shown = (settings: Settings, { file: given, name, value }: ReadVariable): ServerSetting => {
  if (value !== undefined) {
    return { name, value: Redacted.isRedacted(value) ? hidden : value, source: given ?? "environment" }
  }
  const file = secretKeyFile(settings)
  if (name === "SECRET_KEY" && existsSync(file)) return { name, value: hidden, source: file }
  return { name, value: defaults(settings)[name] ?? null, source: "default" }
}

/** Reads the settings, and returns each variable with its value and where that comes from. Secrets are hidden. */
export const loadShown = Effect.gen(function* () {
  const read: Array<ReadVariable> = []
  const settings = yield* Effect.provideService(load, VariableReader, (variable) => void read.push(variable))
  return {
    settings,
    shown: read.map((variable) => shown(settings, variable)),
    /** Variables of the environment that are probably misspelt. */
    warnings: misspelt(Object.keys(process.env), read)
  }
})
