import { Clock, Effect } from "effect"

/** Milliseconds. Responses about an address are sent at multiples of this step, which is longer than a commit. */
const step = 50

/**
 * Has a response come at one of a few times: only the mail to an account that exists is stored, which takes a millisecond,
 * or ten where disks are slow.
 */
export const atSteps = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const begun = performance.now()
    const rest = Effect.suspend(() => Effect.sleep(step - ((performance.now() - begun) % step)))
    // How long it takes is no matter of the clock that the program around it runs on.
    return Effect.tap(work, Effect.provideService(rest, Clock.Clock, Clock.Clock.defaultValue()))
  })
