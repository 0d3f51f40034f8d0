import { Effect } from "effect"

/**
 * A promise as an effect. An interruption aborts it by the signal and waits until it has cleaned up after itself, or, when
 * it succeeded just then, until what it made is released.
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

/** Failures of these classes are the effect's own, any other is told by `failed`. */
export const expecting =
  <C extends Failures, E>(classes: C, failed: (error: unknown) => Effect.Effect<never, E>) =>
  (error: unknown): Effect.Effect<never, InstanceType<C[number]> | E> =>
    classes.some((expected) => error instanceof expected)
      ? Effect.fail(error as InstanceType<C[number]>)
      : failed(error)
