import { Clock, Effect } from "effect"

/** Milliseconds. Responses about an address are sent at multiples of this step, which is longer than a commit takes. */
const step = 50

/**
 * Delays a response to the next multiple of the step, so that its time does not reveal whether an account exists: only
 * then is a mail stored, which takes 1 ms, or 10 ms on slow disks.
 */
export const atSteps = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const begun = performance.now()
    const rest = Effect.suspend(() => Effect.sleep(step - ((performance.now() - begun) % step)))
    // Uses the real clock, because the surrounding program may run on a test clock.
    return Effect.tap(work, Effect.provideService(rest, Clock.Clock, Clock.Clock.defaultValue()))
  })
