import { Clock, Context, Duration, Effect, Latch, Layer, Option, Semaphore } from "effect"

interface Sleep {
  readonly millis: number
  until: number
  readonly latch: Latch.Latch
}

/** Milliseconds of the last part of a move, which passes sleep by sleep. */
export const closely = 300_000
/** Maximum milliseconds from the start of the clock: a hundred years. */
const farthest = 36_525 * 86_400_000

/** Lets fibers continue as far as they can without I/O. */
export const settled = Effect.promise(() => new Promise<void>((done) => setImmediate(done)))

/** The whole milliseconds of a duration. Throws a TypeError if it is none. */
export const millisOf = (duration: Duration.Input): number => {
  const given = Number.isNaN(duration) ? Option.none() : Duration.fromInput(duration)
  if (Option.isNone(given)) throw new TypeError("a duration is a number and a unit, such as 31 days or -1 hour")
  return Math.round(Duration.toMillis(given.value))
}

/**
 * A clock that moves only when it is moved, also backwards. A move passes in one leap up to its last five minutes:
 * sleeping fibers wake once, late, as on a machine that was suspended. The last five minutes pass sleep by sleep.
 * (Effect's TestClock wakes a one-second poll 2.6 million times in 30 days, which takes most of a minute.)
 */
export class LeapClock extends Context.Service<
  LeapClock,
  {
    readonly advance: (duration: Duration.Input) => Effect.Effect<void>
    /** The same in one leap to its end. */
    readonly leap: (duration: Duration.Input) => Effect.Effect<void>
    /** Whether a move ends between 1970 and a hundred years after the start. Other moves are defects. */
    readonly isPossible: (duration: Duration.Input) => boolean
    /** A move in steps holds its permit, so that two of them follow each other. */
    readonly turn: Semaphore.Semaphore
    /**
     * Waits, in real time, until a fiber sleeps for exactly this duration: then its work is done, and the next move
     * wakes it. A move during its work would not.
     */
    readonly asleep: (duration: Duration.Input) => Effect.Effect<void>
  }
>()("sheaf/testing/LeapClock") {
  /** Provides the clock, and replaces the clock of everything built with this layer. */
  static readonly layer = (start: number) =>
    Layer.effectContext(
      Effect.sync(() => {
        let now = start
        const sleeps = new Set<Sleep>()
        /** Opens at the next sleep. */
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
        const isPossible = (duration: Duration.Input): boolean => {
          const end = now + millisOf(duration)
          return end >= 0 && end <= start + farthest
        }
        const move = Effect.fnUntraced(function* (duration: Duration.Input, last: number) {
          if (!isPossible(duration)) {
            return yield* Effect.die(new RangeError("the clock moves between 1970 and a hundred years after its start"))
          }
          const end = now + millisOf(duration)
          // Set back: each remaining sleep stays as long as before.
          if (end < now) for (const sleep of sleeps) sleep.until += end - now
          now = Math.max(now, end - last)
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
        const service = LeapClock.of({
          advance: (duration) => move(duration, closely),
          leap: (duration) => move(duration, 0),
          isPossible,
          turn: Semaphore.makeUnsafe(1),
          asleep
        })
        return Context.make(LeapClock, service).pipe(Context.add(Clock.Clock, clock))
      })
    )
}
