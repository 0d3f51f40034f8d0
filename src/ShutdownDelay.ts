import { Effect } from "effect"

const signals = ["SIGTERM", "SIGINT"] as const

/** Done at the next signal that asks the process to end. */
const signalled = Effect.callback<void>((resume) => {
  const done = () => resume(Effect.void)
  for (const signal of signals) process.once(signal, done)
  return Effect.sync(() => signals.forEach((signal) => process.removeListener(signal, done)))
})

const wait = (seconds: number): Effect.Effect<void> =>
  // It waits on behalf of a fiber that was interrupted already.
  Effect.raceFirst(Effect.interruptible(Effect.sleep(seconds * 1000)), Effect.interruptible(signalled))

/**
 * The seconds of `SHUTDOWN_DELAY`, in which balancers learn from `/readyz` that the process is about to end; another signal
 * ends the wait. `endStreams` runs a second before their end: the connection of a stream was announced to stay, so a
 * proxy may use it again, and gets a last response on it.
 */
export const around = (seconds: number, endStreams: Effect.Effect<void>): Effect.Effect<void> =>
  seconds === 0
    ? endStreams
    : Effect.gen(function* () {
        yield* Effect.logInfo(`stopping in ${seconds} s, or with a second signal: /readyz is 503, all else works on`)
        yield* wait(seconds - 1)
        yield* endStreams
        yield* wait(1)
      })
