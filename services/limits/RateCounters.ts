import { Clock, Context, Effect, Layer } from "effect"
import { type Counted, Windows } from "./Windows.ts"

/** A counter with a fixed window per key, all of the same length. */
export interface Counter {
  /** Adds one to a key, and returns its count. Never fails, and never waits long. */
  readonly add: (key: string) => Effect.Effect<Counted>
  /**
   * Adds one to a key and, unless its count then exceeds `most`, one to another key, for the cost of one call. So a
   * request that the first limit refuses does not use up the second.
   */
  readonly addBoth: (key: string, most: number, other: string) => Effect.Effect<readonly [Counted, Counted]>
  /** Returns the count of a key. */
  readonly look: (key: string) => Effect.Effect<Counted>
  /** Subtracts one, if the window has not ended. */
  readonly refund: (key: string) => Effect.Effect<Counted>
}

/** Where limits are counted: in this process, or in Redis for all nodes together. */
export class RateCounters extends Context.Service<
  RateCounters,
  {
    readonly counter: (name: string, window: number) => Counter
    /** Whether the store that nodes share is in use now; undefined without such a store. */
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
          return { add: by(1), addBoth, look: by(0), refund: by(-1) }
        },
        isShared: undefined
      })
    )
  )
}
