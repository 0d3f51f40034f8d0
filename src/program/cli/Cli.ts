import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Console, Effect, Exit, Layer, Predicate } from "effect"
import { CliConfig, type CliError, CliOutput, Command, GlobalFlag } from "effect/cli"
import { messageOf } from "../../../services/ErrorCause.ts"
import { apply } from "./ApplyCommand.ts"
import { config } from "./ConfigCommand.ts"
import { conformance } from "./ConformanceCommand.ts"
import { doctor } from "./DoctorCommand.ts"
import { backup } from "./BackupCommand.ts"
import { exports } from "./ExportCommands.ts"
import { files } from "./FileCommands.ts"
import { fixture } from "./fixtures/FixtureCommand.ts"
import { imports } from "./ImportCommands.ts"
import { job } from "./JobCommands.ts"
import { key } from "./accounts/KeyCommands.ts"
import { listen } from "./listen/ListenCommand.ts"
import { mail } from "./MailCommands.ts"
import * as Output from "./Output.ts"
import * as ProgressLine from "./ProgressLine.ts"
import { Refused } from "./Refused.ts"
import { restore } from "./RestoreCommand.ts"
import { secretKey } from "./SecretKeyCommands.ts"
import { migrate } from "./MigrateCommands.ts"
import { reindex } from "./ReindexCommand.ts"
import { serve } from "./ServeCommand.ts"
import { client } from "./accounts/ClientCommands.ts"
import { session } from "./accounts/SessionCommands.ts"
import { status } from "./StatusCommand.ts"
import { sync } from "./SyncCommands.ts"
import { user } from "./accounts/UserCommands.ts"
import { workspace } from "./WorkspaceCommands.ts"
import { build } from "../../server/Version.ts"

/** All commands. */
export const sheaf = Command.make("sheaf").pipe(
  Command.withDescription(
    "Commands for the operator of a Sheaf server, which may be running or not. " +
      "They use the environment of the server (DATA_DIR or DATABASE_URL). Without arguments, the server starts."
  ),
  Command.withSubcommands([
    serve,
    status,
    user,
    key,
    workspace,
    apply,
    imports,
    exports,
    job,
    backup,
    restore,
    files,
    sync,
    secretKey,
    listen,
    mail,
    doctor,
    config,
    migrate,
    session,
    client,
    fixture,
    conformance,
    reindex
  ]),
  Command.provide(ProgressLine.layer),
  Command.withGlobalFlags([Output.Json])
)

/** A text on one line, without control characters. */
const line = (text: string): string => Output.plain(text.trim().replaceAll(/\s+/g, " "))

/** Reports wrong usage in one line, like any other error, with a pointer to the help. */
const presenter: CliOutput.Presenter = {
  present: (event) =>
    event._tag !== "InvalidInvocation"
      ? CliOutput.defaultPresenter.present(event)
      : Console.error(
          `sheaf: ${line(event.errors.map(({ message }) => message).join("; "))} (see ${event.commandPath.join(
            " "
          )} --help)`
        )
}

const isUsage = (error: unknown): error is CliError.ShowHelp => Predicate.isTagged(error, "ShowHelp")

const fail = (cause: Cause.Cause<unknown>) => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.succeed(130)
  const error = Cause.squash(cause)
  // The presenter has already printed it.
  if (isUsage(error)) return Effect.succeed(2)
  return Effect.as(Console.error(`sheaf: ${line(messageOf(error))}`), error instanceof Refused ? (error.code ?? 1) : 1)
}

/** Runs one command of the operator. Returns its exit code, which is 0 only on success. */
export const execute = (args: ReadonlyArray<string>): Effect.Effect<number> =>
  Command.runWith(sheaf, { version: build.version })(args).pipe(
    Effect.provide(
      Layer.mergeAll(
        NodeServices.layer,
        CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] }),
        CliOutput.layerPresenter(presenter)
      )
    ),
    Effect.as(0),
    Effect.catchCause(fail)
  )

/** Runs a command as this process. */
export const run = (args: ReadonlyArray<string>): void =>
  NodeRuntime.runMain(execute(args), {
    disableErrorReporting: true,
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) ? Number(exit.value) : Number(process.exitCode ?? 130))
  })
