/**
 * Sheaf with hourly jobs that run ten times a second: `new Program(env, false, hastened)`. It can then be killed during
 * a job.
 */
import { NodeRuntime } from "@effect/platform-node"
import { Clock, Duration, Effect, Layer } from "effect"
import * as App from "../../../src/program/App.ts"
import * as Config from "../../../src/server/settings/Config.ts"
import * as Ports from "../../../src/program/Ports.ts"

/** Milliseconds that the scheduler waits before its first round, and between rounds. */
const waits = new Set([60_000, 3_600_000])

const hastened = (clock: Clock.Clock): Clock.Clock => ({
  currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
  currentTimeMillis: clock.currentTimeMillis,
  currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
  currentTimeNanos: clock.currentTimeNanos,
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep: (duration) => clock.sleep(waits.has(Duration.toMillis(duration)) ? Duration.millis(100) : duration)
})

NodeRuntime.runMain(
  Effect.clockWith((clock) =>
    Effect.flatMap(Config.load, (settings) => Layer.launch(App.layer(settings, Ports.layer(settings)))).pipe(
      Effect.provideService(Clock.Clock, hastened(clock))
    )
  )
)
