import { Context, Effect, Layer } from "effect"

/** Work that is done without a request, such as a queue. */
export interface Part {
  readonly name: string
  /** Whether it is being done, or begins at once because it was woken. */
  readonly isBusy: () => boolean
  /** When the earliest of it is or was due, in Unix milliseconds; Infinity if nothing waits. */
  readonly nextDue: Effect.Effect<number>
  /** Does now what it would do by itself within seconds. */
  readonly runNow: () => void
}

/**
 * The background work of this node. A test waits until none of it runs, and moves the clock to the time at which the next
 * of it is due.
 */
export class BackgroundWork extends Context.Service<
  BackgroundWork,
  {
    readonly parts: ReadonlyArray<Part>
    readonly add: (part: Part) => void
    /** Adds periodic work. The returned function wraps each round of it. */
    readonly rounds: (name: string) => <A, E, R>(round: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("sheaf/concurrency/BackgroundWork") {
  static readonly layer = Layer.sync(BackgroundWork, () => {
    const parts: Array<Part> = []
    return BackgroundWork.of({
      parts,
      add: (part) => void parts.push(part),
      rounds: (name) => {
        let running = 0
        parts.push({ name, isBusy: () => running > 0, nextDue: Effect.succeed(Infinity), runNow: () => {} })
        return (round) =>
          Effect.suspend(() => {
            running++
            return Effect.ensuring(
              round,
              Effect.sync(() => running--)
            )
          })
      }
    })
  })
}
