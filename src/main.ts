import { NodeRuntime } from "@effect/platform-node"
import { Cause, Console, Effect, Exit, Layer } from "effect"
import { setFlagsFromString } from "node:v8"
import * as App from "./App.ts"
import * as Config from "./Config.ts"
import * as Ports from "./Ports.ts"

// Answers are bytes outside the heap. Counted apart, each 64 MB of them cost a full collection, which was half the time
// of a pull; counted as part of the whole, they go with the collections that are due anyway.
setFlagsFromString("--external-memory-accounted-in-global-limit")
// A burst in which much survives makes V8 allocate at the same places in old space from then on: what is short-lived is
// then garbage that holds more garbage. After a large push each create left 16 KB for the next full collection.
setFlagsFromString("--no-allocation-site-pretenuring")

const program = Effect.flatMap(Config.load, (settings) => Layer.launch(App.layer(settings, Ports.layer(settings))))

NodeRuntime.runMain(
  // What an operator can mend is said in one line; anything else with all that is known of it.
  Effect.tapCause(program, (cause) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.void
    const failure: unknown = cause.reasons.find(Cause.isFailReason)?.error
    return Console.error(failure instanceof Error ? `sheaf: ${failure.message}` : Cause.pretty(cause))
  }),
  {
    disableErrorReporting: true,
    // A signal is the ordinary way to end.
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
  }
)
