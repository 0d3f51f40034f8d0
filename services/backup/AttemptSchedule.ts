import { Clock, Effect, FiberSet, Schedule } from "effect"
import type { SqlError } from "effect/sql"
import { BackgroundWork } from "../concurrency/BackgroundWork.ts"
import { Database, orUnavailable } from "../database/Database.ts"
import { Conflict, type Unavailable } from "../Errors.ts"
import { type Alarm, alarmOf } from "./BackupAlarm.ts"
import type { Attempt } from "./BackupAttempts.ts"
import { dueAt, type State } from "./BackupState.ts"

interface Options {
  /** What is attempted: `backup`. */
  readonly what: string
  /** Milliseconds from the start of an attempt to the start of the next one; undefined without a schedule. */
  readonly every: number | undefined
  /** Maximum number of milliseconds from a failure to the next attempt. */
  readonly longestDelay: number
  readonly stateAt: (now: number) => Effect.Effect<State, SqlError.SqlError, Database>
  /** Makes an attempt, and records its result. */
  readonly attempt: (kind: Attempt["kind"], now: number) => Effect.Effect<void, unknown, Database>
}

/** Interval at which each node looks whether an attempt is due, and whether attempts succeed. */
const lookEvery = "30 seconds"

/**
 * Makes attempts on a schedule, and those that an operator begins, one at a time. The times of earlier attempts are in the
 * database, so that a schedule continues after restarts; a lock there decides which node makes an attempt.
 */
export const make = Effect.fnUntraced(function* ({ attempt, every, longestDelay, stateAt, what }: Options) {
  let alarm: Alarm | undefined
  let succeededAt: number | undefined
  const context = yield* Effect.context<Database>()
  const rounds = (yield* BackgroundWork).rounds(`${what}s`)
  const alreadyRunning = new Conflict({
    code: "invalid_state",
    detail: "A backup or a restore drill of this database is running"
  })
  const due = (state: State, interval: number) => dueAt(state, interval, longestDelay)

  const kept = <R>(work: Effect.Effect<void, unknown, R>) =>
    Effect.catchCause(work, (cause) => Effect.logWarning(`the schedule of ${what}s has failed`, cause))

  if (every !== undefined) {
    const since = yield* Clock.currentTimeMillis

    const makeIfDue = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const state = yield* stateAt(now)
      if (state.isBusy || due(state, every) > now) return
      yield* attempt("scheduled", now)
    })

    const watch = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const state = yield* stateAt(now)
      succeededAt = state.succeededAt
      const before = alarm
      alarm = alarmOf(state, every, now, since)
      // A failed attempt has its own line.
      if (before === undefined && alarm !== undefined && alarm.error === undefined) {
        yield* Effect.logError(`a scheduled ${what} is overdue`)
      }
      if (before !== undefined && alarm === undefined) yield* Effect.logInfo(`scheduled ${what}s succeed again`)
    })

    // Separate, because an attempt may take long or hang.
    for (const look of [makeIfDue, watch]) {
      yield* Effect.forkScoped(Effect.delay(Effect.repeat(rounds(kept(look)), Schedule.spaced(lookEvery)), lookEvery))
    }
  }

  const under = yield* FiberSet.make<void>()
  let isBegun = false

  const ending = Effect.sync(() => {
    isBegun = false
  })

  const stateNow = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.provideContext(orUnavailable(stateAt(now)), context)
  )

  const start = Effect.fnUntraced(function* <E, R>(record: Effect.Effect<void, E, R>) {
    const now = yield* Clock.currentTimeMillis
    if (isBegun) return yield* alreadyRunning
    isBegun = true
    yield* Effect.onError(
      Effect.flatMap(stateNow, ({ isBusy }): Effect.Effect<void, E | Conflict, R> =>
        isBusy ? Effect.fail(alreadyRunning) : record
      ),
      () => ending
    )
    const run = Effect.ensuring(kept(attempt("manual", now)), ending)
    yield* FiberSet.run(under, rounds(Effect.provideContext(run, context)))
  })

  return {
    /** Undefined while attempts succeed on time, or there is no schedule. */
    alarm: () => alarm,
    /** When the last successful attempt began, in Unix milliseconds. */
    succeededAt: () => succeededAt,
    /** Begins an attempt in the background, after `record` has succeeded. */
    begin: <E, R>(record: Effect.Effect<void, E, R>): Effect.Effect<void, E | Conflict | Unavailable, R> =>
      Effect.uninterruptible(start(record)),
    state: Effect.map(stateNow, (state) => ({
      isRunning: isBegun || state.isRunning,
      succeededAt: state.succeededAt,
      /** When the next attempt is due, in Unix milliseconds; undefined without a schedule. */
      dueAt: every === undefined ? undefined : due(state, every),
      alarm
    }))
  }
})
