import { Effect } from "effect"

/**
 * Runs a promise as an effect. An interruption aborts the signal and waits until the promise has ended. If the promise
 * still returns a result, the result is released.
 */
export const abortable = <A, E>(
  run: (signal: AbortSignal) => Promise<A>,
  failed: (error: unknown) => Effect.Effect<never, E>,
  release: (made: A) => void = () => {}
): Effect.Effect<A, E> =>
  Effect.callback((resume) => {
    const controller = new AbortController()
    const ended = run(controller.signal).then(
      (made) => {
        if (controller.signal.aborted) return release(made)
        resume(Effect.succeed(made))
      },
      (error) => {
        if (!controller.signal.aborted) resume(failed(error))
      }
    )
    return Effect.promise(() => {
      controller.abort()
      return ended
    })
  })

type Failures = ReadonlyArray<abstract new (...args: any) => unknown>

/** Failures of these classes become failures of the effect; all others are passed to `failed`. */
export const expecting =
  <C extends Failures, E>(classes: C, failed: (error: unknown) => Effect.Effect<never, E>) =>
  (error: unknown): Effect.Effect<never, InstanceType<C[number]> | E> =>
    classes.some((expected) => error instanceof expected)
      ? Effect.fail(error as InstanceType<C[number]>)
      : failed(error)
