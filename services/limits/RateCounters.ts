import { Clock, Context, Effect, Layer } from "effect"
import { type Counted, Windows } from "./Windows.ts"

/** Counts of one kind of thing, each in a fixed window of the same length. */
export interface Counter {
  /** Counts one more of a key, and tells how many there are now. It never fails, and never waits for long. */
  readonly add: (key: string) => Effect.Effect<Counted>
  /**
   * Counts one more of a key and, unless that makes more than `most`, one more of another; at the cost of one. What is
   * refused for the first does not use up the second.
   */
  readonly addBoth: (key: string, most: number, other: string) => Effect.Effect<readonly [Counted, Counted]>
  /** How many there are. */
  readonly look: (key: string) => Effect.Effect<Counted>
  /** Takes one back, if its window has not ended. */
  readonly giveBack: (key: string) => Effect.Effect<Counted>
}

/** Where limits are counted: in this process, or in Redis for all nodes together. */
export class RateCounters extends Context.Service<
  RateCounters,
  {
    readonly counter: (name: string, window: number) => Counter
    /** Whether the store that nodes share is in use at the moment; undefined where there is none. */
    readonly isShared: (() => boolean) | undefined
  }
>()("sheaf/limits/RateCounters") {
  /** For a single node. */
  static readonly layerMemory = Layer.effect(
    RateCounters,
    Effect.map(Clock.Clock, (clock) =>
      RateCounters.of({
        counter: (_name, length) => {
          const windows = new Windows(length)
          const by = (amount: number) => (key: string) =>
            Effect.sync(() => windows.add(key, amount, clock.currentTimeMillisUnsafe()))
          const addBoth = (key: string, most: number, other: string) =>
            Effect.sync(() => {
              const now = clock.currentTimeMillisUnsafe()
              const first = windows.add(key, 1, now)
              return [first, windows.add(other, first.count > most ? 0 : 1, now)] as const
            })
          return { add: by(1), addBoth, look: by(0), giveBack: by(-1) }
        },
        isShared: undefined
      })
    )
  )
}
