import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Console, Effect, Exit, Layer, Predicate } from "effect"
import { CliConfig, type CliError, CliOutput, Command, GlobalFlag } from "effect/cli"
import { messageOf } from "../../../services/ErrorCause.ts"
import { build } from "../../server/Version.ts"
import * as Output from "./Output.ts"
import { Refused } from "./Refused.ts"

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
  const code = error instanceof Refused ? (error.code ?? 1) : 1
  return Effect.as(Console.error(`sheaf: ${line(messageOf(error))}`), code)
}

/** Runs one command of those below `command`. Returns its exit code, which is 0 only on success. */
export const executeOf = <Name extends string, Input, Shared, E>(
  command: Command.Command<Name, Input, Shared, E, Command.Environment>,
  args: ReadonlyArray<string>
): Effect.Effect<number> =>
  Command.runWith(command, { version: build.version })(args).pipe(
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
export const runOf = <Name extends string, Input, Shared, E>(
  command: Command.Command<Name, Input, Shared, E, Command.Environment>,
  args: ReadonlyArray<string>
): void =>
  NodeRuntime.runMain(executeOf(command, args), {
    disableErrorReporting: true,
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) ? Number(exit.value) : Number(process.exitCode ?? 130))
  })
