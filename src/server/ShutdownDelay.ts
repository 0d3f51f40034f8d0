import { Effect } from "effect"

const signals = ["SIGTERM", "SIGINT"] as const

/** Completes at the next signal to stop. */
const signalled = Effect.callback<void>((resume) => {
  const done = () => resume(Effect.void)
  for (const signal of signals) process.once(signal, done)
  return Effect.sync(() => signals.forEach((signal) => process.removeListener(signal, done)))
})

const wait = (seconds: number): Effect.Effect<void> =>
  // Made interruptible: it runs in a finalizer, where the fiber is interrupted already.
  Effect.raceFirst(Effect.interruptible(Effect.sleep(seconds * 1000)), Effect.interruptible(signalled))

/**
 * Waits for the seconds of `SHUTDOWN_DELAY`, in which load balancers see from `/readyz` that the process stops; another
 * signal ends the wait. `endStreams` runs one second before the end: the connection of a stream was announced as
 * keep-alive, so a proxy may reuse it, and still gets a response on it.
 */
export const around = (seconds: number, endStreams: Effect.Effect<void>): Effect.Effect<void> =>
  seconds === 0
    ? endStreams
    : Effect.gen(function* () {
        yield* Effect.logInfo(
          `stopping in ${seconds} s, or at a second signal: /readyz returns 503, all other requests are served`
        )
        yield* wait(seconds - 1)
        yield* endStreams
        yield* wait(1)
      })
