import { Cause, Clock, Context, Effect, Exit, Latch, Layer } from "effect"
import { messageOf } from "../ErrorCause.ts"
import { Unavailable } from "../Errors.ts"
import { Database, isConnectionError } from "./Database.ts"

const probeInterval = 1_000
const reportInterval = 60_000

/** Whether a failure only means that the database cannot be reached. */
const isOutage = (error: unknown): boolean => error === Unavailable.database || isConnectionError(error)

/**
 * Logs outages of the database on behalf of all loops and requests that notice one: at most one line a minute, however
 * much fails meanwhile, and a line when it is over. Failures that an outage explains are counted instead of logged.
 */
export class DatabaseOutage extends Context.Service<
  DatabaseOutage,
  {
    /** Whether an outage explains a failure, which is then counted and needs no log line. */
    readonly explains: (cause: Cause.Cause<unknown>) => boolean
    /** Counts a failure that an outage explains. */
    readonly count: () => void
    /** After each failure that is noticed, probes the database until it can be reached again. */
    readonly watch: Effect.Effect<void, never, Database>
  }
>()("sheaf/database/DatabaseOutage") {
  static readonly layer = Layer.sync(DatabaseOutage, () => {
    const noticed = Latch.makeUnsafe()
    let failures = 0
    let reason = ""
    let isWatched = false
    let reportedAt = Number.NEGATIVE_INFINITY

    const count = () => {
      failures++
      noticed.openUnsafe()
    }

    const report = Effect.fnUntraced(function* (message: string, more: object) {
      reportedAt = yield* Clock.currentTimeMillis
      const counted = failures
      failures = 0
      yield* Effect.annotateLogs(Effect.logWarning(message), { ...more, failures: counted })
    })

    const watchOnce = Effect.gen(function* () {
      const { read } = yield* Database
      const probe = Effect.exit(
        read.unsafe("SELECT 1").pipe(
          Effect.timeout("2 seconds"),
          // Connections use real time, even when the program runs on a test clock.
          Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
        )
      )
      yield* noticed.await
      const began = yield* Clock.currentTimeMillis
      let isReported = false
      while (true) {
        const exit = yield* probe
        const isBack = Exit.isSuccess(exit)
        if (!isBack) reason = messageOf(Cause.squash(exit.cause))
        const now = yield* Clock.currentTimeMillis
        const seconds = Math.round((now - began) / 1_000)
        if (isBack) {
          noticed.closeUnsafe()
          if (isReported) yield* report("the database can be reached again", { seconds })
          else if (now - reportedAt >= reportInterval) {
            yield* report("connections to the database were lost", { reason })
          }
          return
        }
        if (now - reportedAt >= reportInterval) {
          yield* report("the database cannot be reached", { reason, seconds })
          isReported = true
        }
        yield* Effect.sleep(probeInterval)
      }
    })

    return DatabaseOutage.of({
      count,
      explains: (cause) => {
        if (!isWatched || cause.reasons.length === 0) return false
        const errors = cause.reasons.flatMap((each) =>
          Cause.isFailReason(each) ? [each.error] : Cause.isDieReason(each) ? [each.defect] : []
        )
        const found = errors.find(isOutage)
        if (found === undefined) return false
        reason = messageOf(found)
        count()
        return true
      },
      watch: Effect.suspend(() => {
        isWatched = true
        return Effect.forever(watchOnce).pipe(Effect.ensuring(Effect.sync(() => (isWatched = false))))
      })
    })
  })
}
