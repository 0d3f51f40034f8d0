import { Effect } from "effect"

const signals = ["SIGTERM", "SIGINT"] as const

/** Done at the next signal that asks the process to end. */
const signalled = Effect.callback<void>((resume) => {
  const done = () => resume(Effect.void)
  for (const signal of signals) process.once(signal, done)
  return Effect.sync(() => signals.forEach((signal) => process.removeListener(signal, done)))
})

/**
 * The time in which balancers learn from `/readyz` that the process is about to end: `SHUTDOWN_DELAY` in seconds. Another
 * signal ends it at once.
 */
export const wait = (seconds: number): Effect.Effect<void> =>
  seconds === 0
    ? Effect.void
    : Effect.andThen(
        Effect.logInfo(`stopping in ${seconds} s, or with a second signal: /readyz is 503, everything else works on`),
        // It waits on behalf of a fiber that was interrupted already.
        Effect.raceFirst(Effect.interruptible(Effect.sleep(seconds * 1000)), Effect.interruptible(signalled))
      )
