import { Layer, Logger, References } from "effect"
import type { Settings } from "../server/settings/Config.ts"

/** Writes log entries to standard error in the format of LOG_FORMAT. */
export const loggerOf = ({ logFormat }: Settings): Logger.Logger<unknown, void> =>
  logFormat === "json" ? Logger.withConsoleError(Logger.formatJson) : Logger.consolePretty()

/** The pretty logger needs this to write to standard error. */
export const toStandardError = Layer.succeed(References.LogToStderr, true)
