import { Clock, Context, Duration, Effect, Latch, Layer } from "effect"

interface Sleep {
  readonly millis: number
  until: number
  readonly latch: Latch.Latch
}

/**
 * Time that stands until it is moved, or set back. Up to the last five minutes of a move passes in one leap, in which whoever slept wakes
 * once, late, as on a machine that was suspended; these pass sleep by sleep. (Effect's TestClock wakes a
 * one-second poll 2.6 million times in 30 days, which takes most of a minute.)
 */
export class LeapClock extends Context.Service<
  LeapClock,
  {
    readonly advance: (duration: Duration.Input) => Effect.Effect<void>
    /**
     * Waits, in real time, until somebody sleeps for just so long: whoever goes by the clock has done what was due, and
     * hears the next move. A move during its work would pass it by.
     */
    readonly asleep: (duration: Duration.Input) => Effect.Effect<void>
  }
>()("sheaf/test/LeapClock") {
  /** Also the clock of everything that is given this layer. */
  static readonly layer = (start: number) =>
    Layer.effectContext(
      Effect.sync(() => {
        let now = start
        const sleeps = new Set<Sleep>()
        /** Opens with the next sleep. */
        let nextSleep = Latch.makeUnsafe()
        const millis = () => now
        const nanos = () => BigInt(Math.round(now)) * 1_000_000n
        const clock: Clock.Clock = {
          currentTimeMillisUnsafe: millis,
          currentTimeMillis: Effect.sync(millis),
          currentTimeNanosUnsafe: nanos,
          currentTimeNanos: Effect.sync(nanos),
          monotonicTimeNanosUnsafe: nanos,
          monotonicTimeNanos: Effect.sync(nanos),
          sleep: (duration) =>
            Effect.suspend(() => {
              const millis = Duration.toMillis(duration)
              const sleep = { millis, until: now + millis, latch: Latch.makeUnsafe() }
              if (sleep.until <= now) return Effect.yieldNow
              sleeps.add(sleep)
              nextSleep.openUnsafe()
              nextSleep = Latch.makeUnsafe()
              return Effect.ensuring(
                sleep.latch.await,
                Effect.sync(() => sleeps.delete(sleep))
              )
            })
        }
        const earliest = (): Sleep | undefined => {
          let found: Sleep | undefined
          for (const sleep of sleeps) if (found === undefined || sleep.until < found.until) found = sleep
          return found
        }
        /** What was woken has run as far as it can without the outside world. */
        const settled = Effect.promise(() => new Promise((done) => setImmediate(done)))
        const advance = Effect.fnUntraced(function* (duration: Duration.Input) {
          const end = now + Duration.toMillis(duration)
          // Set back: whoever sleeps has as long to sleep as before.
          if (end < now) for (const sleep of sleeps) sleep.until += end - now
          now = Math.max(now, end - 300_000)
          for (let next = earliest(); next !== undefined && next.until <= end; next = earliest()) {
            now = Math.max(now, next.until)
            sleeps.delete(next)
            next.latch.openUnsafe()
            yield* settled
          }
          now = end
          yield* settled
        })
        const asleep = Effect.fnUntraced(function* (duration: Duration.Input) {
          const millis = Duration.toMillis(duration)
          while (![...sleeps].some((sleep) => sleep.millis === millis)) yield* nextSleep.await
        })
        return Context.make(LeapClock, LeapClock.of({ advance, asleep })).pipe(Context.add(Clock.Clock, clock))
      })
    )
}
