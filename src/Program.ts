import { NodeRuntime } from "@effect/platform-node"
import { Cause, Console, Effect, Exit, Layer } from "effect"
import * as App from "./App.ts"
import * as Config from "./Config.ts"
import * as Ports from "./Ports.ts"
import { rootOf } from "../services/RootOf.ts"

const program = Effect.flatMap(Config.load, (settings) => Layer.launch(App.layer(settings, Ports.layer(settings))))

/** Runs Sheaf as the environment says, until a signal ends it. */
export const run = (): void =>
  NodeRuntime.runMain(
    // What an operator can mend is said in one line; anything else with all that is known of it.
    Effect.tapCause(program, (cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.void
      const failure: unknown = cause.reasons.find(Cause.isFailReason)?.error
      return Console.error(failure instanceof Error ? `sheaf: ${rootOf(failure).message}` : Cause.pretty(cause))
    }),
    {
      disableErrorReporting: true,
      // A signal is the ordinary way to end.
      teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
    }
  )
