import { NodeRuntime } from "@effect/platform-node"
import { Cause, Console, Context, Effect, Exit, Layer } from "effect"
import * as App from "./App.ts"
import { ConfigError, type Settings } from "../server/settings/Config.ts"
import * as Ports from "./Ports.ts"
import { loadShown, ServedSettings, StartWarnings } from "../server/settings/ServedSettings.ts"
import { rootOf } from "../../services/ErrorCause.ts"
import { ParentLink } from "../../services/concurrency/ParentLink.ts"
import { version } from "../server/Version.ts"
import * as Parent from "./workers/Parent.ts"
import * as WorkerLink from "./workers/WorkerLink.ts"

/** Says on a terminal what a first start does for some seconds. */
const announced = (settings: Settings): Effect.Effect<void> =>
  settings.logFormat === "pretty" && settings.databaseUrl === undefined && !Ports.hasCluster(settings)
    ? Console.error("Creating the database …")
    : Effect.void

/** Refuses a worker whose program was replaced by another version than that of its parent, whose messages may differ. */
const sameVersion = ({ start }: WorkerLink.Started) =>
  start.version === version
    ? Effect.void
    : Effect.fail(
        new ConfigError({
          message: `The program is now version ${version}, and the parent of this worker is still ${start.version}: restart Sheaf`
        })
      )

const program = Effect.flatMap(loadShown, ({ settings, shown, warnings }) => {
  const worker = WorkerLink.link()
  const server =
    worker !== undefined
      ? Layer.launch(App.layer(settings, Ports.forWorker(settings, worker.link, worker.start.database))).pipe(
          Effect.provideService(ParentLink, worker.link),
          (served) => Effect.andThen(sameVersion(worker), served)
        )
      : Effect.andThen(
          announced(settings),
          settings.workers > 1 ? Parent.run(settings) : Layer.launch(App.layer(settings, Ports.layer(settings)))
        )
  return server.pipe(
    Effect.provideService(ServedSettings, shown),
    Effect.provideService(StartWarnings, worker === undefined ? warnings : [])
  )
})

/** Runs a server as this process until a signal ends it. */
export const runMain = <E>(server: Effect.Effect<never, E>): void =>
  NodeRuntime.runMain(
    // An error that an operator can fix is one line; a defect is printed with its whole cause.
    Effect.tapCause(server, (cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.void
      const failure: unknown = cause.reasons.find(Cause.isFailReason)?.error
      return Console.error(failure instanceof Error ? `sheaf: ${rootOf(failure).message}` : Cause.pretty(cause))
    }),
    {
      disableErrorReporting: true,
      // A signal is the usual way to stop: exit code 0.
      teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
    }
  )

/** Runs Sheaf with the settings of the environment. A test replaces References. */
export const run = (references: Context.Context<never> = Context.empty()): void =>
  runMain(Effect.provideContext(program, references))
