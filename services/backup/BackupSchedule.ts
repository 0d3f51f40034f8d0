import { Clock, Context, Effect, FiberSet, Layer, Metric, Schedule } from "effect"
import { BackgroundWork } from "../concurrency/BackgroundWork.ts"
import { Database, orUnavailable } from "../database/Database.ts"
import { Conflict, type Unavailable } from "../Errors.ts"
import type { FileStore } from "../files/FileStore.ts"
import type { Access } from "../files/S3Place.ts"
import { type Alarm, alarmOf } from "./BackupAlarm.ts"
import { type Attempt, recordFailure } from "./BackupAttempts.ts"
import { filesLeftOut } from "./BackupFailure.ts"
import { placesSent } from "./BackupMessages.ts"
import { removeOld } from "./BackupRetention.ts"
import { dueAt, stateAt, type Timing } from "./BackupState.ts"
import { makeBackup } from "./BackupThread.ts"

export interface Options {
  /** The directory, or the s3:// URL without a slash at its end. */
  readonly to: string
  /** Milliseconds from the start of a scheduled backup to the start of the next one; undefined without a schedule. */
  readonly every: number | undefined
  /** Number of scheduled backups that stay. */
  readonly keep: number
  /** The age recipients for whom backups are encrypted; none for no encryption. */
  readonly recipients: ReadonlyArray<string>
  readonly access: Access | undefined
  readonly files: FileStore
  readonly version: string
  /** The settings of the server, as JSON without secrets. */
  readonly configuration: string
}

/** The place and the times of backups. Times are Unix milliseconds. */
export interface Plan extends Pick<Options, "every" | "keep" | "to"> {
  readonly isEncrypted: boolean
  readonly isRunning: boolean
  readonly succeededAt: number | undefined
  /** When the next scheduled backup is due; undefined without a schedule. */
  readonly dueAt: number | undefined
  readonly alarm: Alarm | undefined
}

/** Interval at which each node looks whether a backup is due, and whether backups succeed. */
const lookEvery = "30 seconds"

const attempts = Metric.counter("sheaf_backups_total", {
  description: "Scheduled backups that this node made, by outcome: done, failed",
  incremental: true
})
const ended = (outcome: "done" | "failed") => Metric.update(Metric.withAttributes(attempts, { outcome }), 1)

const nowhere = new Conflict({ code: "invalid_state", detail: "There is no place for backups: set BACKUP_TO" })
const alreadyRunning = new Conflict({ code: "invalid_state", detail: "A backup of this database is running" })

/**
 * Makes backups on a schedule, on one of the nodes: the one that gets the lock of backups first. The times of earlier
 * backups are in the database, so that a schedule continues after restarts. Operators can begin further backups.
 */
export class BackupSchedule extends Context.Service<
  BackupSchedule,
  {
    /** Whether backups are made on a schedule. */
    readonly isOn: boolean
    /** Undefined while backups succeed on time, or there is no schedule. */
    readonly alarm: () => Alarm | undefined
    /** When the last successful backup began, in Unix milliseconds. */
    readonly succeededAt: () => number | undefined
    /** The place and the times of backups; undefined without a place. */
    readonly plan: Effect.Effect<Plan | undefined, Unavailable>
    /** Begins a backup in the background, after `record` has succeeded. Its result is recorded. */
    readonly begin: <E, R>(record: Effect.Effect<void, E, R>) => Effect.Effect<void, E | Conflict | Unavailable, R>
  }
>()("sheaf/backup/BackupSchedule") {
  /** Without options no backups are made. */
  static readonly layer = (
    options: Options | undefined
  ): Layer.Layer<BackupSchedule, never, BackgroundWork | Database> =>
    Layer.effect(
      BackupSchedule,
      Effect.gen(function* () {
        if (options === undefined) {
          return BackupSchedule.of({
            isOn: false,
            alarm: () => undefined,
            succeededAt: () => undefined,
            plan: Effect.undefined,
            begin: () => Effect.fail(nowhere)
          })
        }
        let alarm: Alarm | undefined
        let succeededAt: number | undefined
        const { access, configuration, every, files, keep, recipients, to, version } = options
        const { address } = yield* Database
        const context = yield* Effect.context<Database>()
        const rounds = (yield* BackgroundWork).rounds("backups")

        const make = Effect.fnUntraced(function* (kind: Attempt["kind"], timing: Timing, now: number) {
          const wanted = { kind, timing, now, version, configuration, recipients }
          const made = yield* makeBackup({ wanted, ...placesSent({ access, address, files }) })
          if (made === undefined) return
          const { bytes, file, leftOut } = made
          yield* Effect.logInfo(`the backup ${file} is complete (${bytes} bytes)`)
          if (leftOut > 0) yield* Effect.logWarning(filesLeftOut(`the backup ${file}`, leftOut))
          yield* ended("done")
          if (kind === "scheduled") yield* removeOld(to, keep, access)
        })

        const failed = Effect.fnUntraced(function* (kind: Attempt["kind"], now: number, error: string) {
          yield* Effect.logError(`the ${kind} backup has failed: ${error}`)
          yield* ended("failed")
          const attempt = { kind, target: `${to}/`, encrypted: recipients.length > 0, startedAt: now }
          yield* recordFailure(attempt, yield* Clock.currentTimeMillis, error)
        })

        const attempt = (kind: Attempt["kind"], timing: Timing, now: number) =>
          Effect.catchTag(make(kind, timing, now), "BackupFailed", ({ message }) => failed(kind, now, message))

        const kept = <R>(work: Effect.Effect<void, unknown, R>) =>
          Effect.catchCause(work, (cause) => Effect.logWarning("the schedule of backups has failed", cause))

        if (every !== undefined) {
          const timing: Timing = { to, every }
          const since = yield* Clock.currentTimeMillis

          const makeIfDue = Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            const state = yield* stateAt(timing, now)
            if (state.isRunning || dueAt(state, timing) > now) return
            yield* attempt("scheduled", timing, now)
          })

          const watch = Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            const state = yield* stateAt(timing, now)
            succeededAt = state.succeededAt
            const before = alarm
            alarm = alarmOf(state, timing, now, since)
            // A failed attempt has its own line.
            if (before === undefined && alarm !== undefined && alarm.error === undefined) {
              yield* Effect.logError("a scheduled backup is overdue")
            }
            if (before !== undefined && alarm === undefined) yield* Effect.logInfo("scheduled backups succeed again")
          })

          // Separate, because a backup may take long or hang.
          for (const look of [makeIfDue, watch]) {
            yield* Effect.forkScoped(
              Effect.delay(Effect.repeat(rounds(kept(look)), Schedule.spaced(lookEvery)), lookEvery)
            )
          }
        }

        const under = yield* FiberSet.make<void>()
        let isBegun = false

        const ending = Effect.sync(() => {
          isBegun = false
        })

        const stateNow = (timing: Timing, now: number) =>
          Effect.provideContext(orUnavailable(stateAt(timing, now)), context)

        const start = Effect.fnUntraced(function* <E, R>(record: Effect.Effect<void, E, R>) {
          const now = yield* Clock.currentTimeMillis
          const timing = { to, every: every ?? 0 }
          if (isBegun) return yield* alreadyRunning
          isBegun = true
          yield* Effect.onError(
            Effect.flatMap(stateNow(timing, now), ({ isRunning }): Effect.Effect<void, E | Conflict, R> =>
              isRunning ? Effect.fail(alreadyRunning) : record
            ),
            () => ending
          )
          const run = Effect.ensuring(kept(attempt("manual", timing, now)), ending)
          yield* FiberSet.run(under, rounds(Effect.provideContext(run, context)))
        })

        const plan = Effect.gen(function* () {
          const timing = { to, every: every ?? 0 }
          const state = yield* stateNow(timing, yield* Clock.currentTimeMillis)
          const shown: Plan = {
            to,
            every,
            keep,
            isEncrypted: recipients.length > 0,
            isRunning: isBegun || state.isRunning,
            succeededAt: state.succeededAt,
            dueAt: every === undefined ? undefined : dueAt(state, timing),
            alarm
          }
          return shown
        })

        return BackupSchedule.of({
          isOn: every !== undefined,
          alarm: () => alarm,
          succeededAt: () => succeededAt,
          plan,
          begin: (record) => Effect.uninterruptible(start(record))
        })
      })
    )
}
