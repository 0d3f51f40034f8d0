import { Command } from "effect/cli"
import { runOf } from "../CommandRun.ts"
import * as Output from "../Output.ts"
import { syncFolder } from "./FolderCommand.ts"

/** Runs `sheaf sync FOLDER` as this process, without the parts of a server, which take time and memory. */
export const run = (args: ReadonlyArray<string>): void =>
  runOf(Command.make("sheaf").pipe(Command.withSubcommands([syncFolder]), Command.withGlobalFlags([Output.Json])), args)
