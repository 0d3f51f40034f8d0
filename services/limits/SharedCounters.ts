import { Clock, Effect, Layer, Redacted } from "effect"
import { type Counter, RateCounters } from "./RateCounters.ts"
import { prefix, RedisCounts } from "./RedisCounts.ts"
import { type Counted, Windows } from "./Windows.ts"

/**
 * Counts in Redis for all nodes. While Redis cannot be reached, each node counts for itself. Only the start waits for
 * Redis (1 s).
 */
export const layer = (url: Redacted.Redacted) =>
  Layer.effect(
    RateCounters,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const redis = yield* Effect.acquireRelease(
        Effect.callback<RedisCounts>((resume) => {
          const counts: RedisCounts = new RedisCounts(Redacted.value(url), (isUp, why) => {
            run(
              isUp
                ? Effect.logInfo("Redis can be reached: all nodes share rate limits")
                : Effect.logWarning(`Redis cannot be reached: each node counts rate limits separately (${why})`)
            )
            resume(Effect.succeed(counts))
          })
        }),
        (counts) => Effect.sync(() => counts.end())
      )

      const counter = (name: string, window: number): Counter => {
        const alone = new Windows(window)
        const by =
          (amount: number) =>
          (key: string): Effect.Effect<Counted> =>
            Effect.callback((resume) =>
              redis.add({
                key: `${prefix}${name}:${key}`,
                window,
                by: amount,
                resume: (counted) =>
                  resume(Effect.succeed(counted ?? alone.add(key, amount, clock.currentTimeMillisUnsafe())))
              })
            )
        const addBoth = (key: string, most: number, other: string): Effect.Effect<readonly [Counted, Counted]> =>
          Effect.callback((resume) => {
            let first: Counted
            redis.add(
              {
                key: `${prefix}${name}:${key}`,
                window,
                by: 1,
                resume: (counted) => {
                  first = counted ?? alone.add(key, 1, clock.currentTimeMillisUnsafe())
                }
              },
              {
                key: `${prefix}${name}:${other}`,
                window,
                by: 1,
                most,
                resume: (counted) => {
                  const second =
                    counted ?? alone.add(other, first.count > most ? 0 : 1, clock.currentTimeMillisUnsafe())
                  resume(Effect.succeed([first, second]))
                }
              }
            )
          })
        return { add: by(1), addBoth, look: by(0), refund: by(-1) }
      }
      return RateCounters.of({ counter, isShared: () => redis.isUp })
    })
  )
