import { Clock, Context, Effect, Layer } from "effect"
import { BackgroundWork } from "../concurrency/BackgroundWork.ts"
import { Database, orUnavailable } from "../database/Database.ts"
import { Conflict, type Unavailable } from "../Errors.ts"
import * as AttemptSchedule from "./AttemptSchedule.ts"
import type { Alarm } from "./BackupAlarm.ts"
import type { Attempt } from "./BackupAttempts.ts"
import { placesSent } from "./BackupMessages.ts"
import { nowhere, type Options } from "./BackupSchedule.ts"
import { drillsAt, longestDrillDelay } from "./BackupState.ts"
import { runThread } from "./BackupThread.ts"
import { type Drill, lastDrill, newestBackup, recordDrillFailure } from "./DrillRecords.ts"
import { removeLeftover } from "./ScratchDatabase.ts"

/** The times of drills, in Unix milliseconds. */
export interface DrillPlan {
  /** Milliseconds from the start of one to the start of the next one; undefined without a schedule. */
  readonly every: number | undefined
  readonly isRunning: boolean
  readonly dueAt: number | undefined
  readonly alarm: Alarm | undefined
  readonly last: Drill | undefined
}

const noBackup = new Conflict({ code: "invalid_state", detail: "There is no backup in BACKUP_TO: make one first" })

/** Restores the newest backup into a scratch database on a schedule, on one of the nodes, or when an operator begins it. */
export class RestoreDrills extends Context.Service<
  RestoreDrills,
  {
    /** Whether drills are made on a schedule. */
    readonly isOn: boolean
    /** Undefined while drills succeed on time, or there is no schedule. */
    readonly alarm: () => Alarm | undefined
    /** When the last successful drill began, in Unix milliseconds. */
    readonly succeededAt: () => number | undefined
    /** Undefined without a place of backups. */
    readonly plan: Effect.Effect<DrillPlan | undefined, Unavailable>
    /** Begins a drill in the background, after `record` has succeeded. Its result is recorded. */
    readonly begin: <E, R>(record: Effect.Effect<void, E, R>) => Effect.Effect<void, E | Conflict | Unavailable, R>
  }
>()("sheaf/backup/RestoreDrills") {
  /** Without options no drills are made. With them, each start drops what a killed drill has left. */
  static readonly layer = (
    options: Options | undefined
  ): Layer.Layer<RestoreDrills, never, BackgroundWork | Database> =>
    Layer.effect(
      RestoreDrills,
      Effect.gen(function* () {
        const database = yield* Database
        if (options === undefined) {
          return RestoreDrills.of({
            isOn: false,
            alarm: () => undefined,
            succeededAt: () => undefined,
            plan: Effect.undefined,
            begin: () => Effect.fail(nowhere)
          })
        }
        const atStart = (yield* BackgroundWork).rounds("leftovers of drills")
        yield* Effect.forkScoped(
          atStart(
            Effect.catchCause(removeLeftover, (cause) =>
              Effect.logWarning("what a killed drill has left could not be dropped", cause)
            )
          )
        )
        const { access, files, to, verifyEvery: every, version } = options

        const make = Effect.fnUntraced(function* (kind: Attempt["kind"], now: number) {
          // The schedule of backups reports that there is none.
          if ((yield* newestBackup(to, now)) === undefined) return
          const wanted = { work: "drill", kind, to, every: every ?? 0, now, version } as const
          const made = yield* runThread({ wanted, ...placesSent({ access, address: database.address, files }) })
          if (made !== undefined)
            yield* Effect.logInfo(`the backup ${made.file} was restored, and compared, by a drill`)
        })

        const failed = Effect.fnUntraced(function* (now: number, error: string) {
          yield* Effect.logError(`the restore drill has failed: ${error}`)
          yield* recordDrillFailure(`${to}/`, now, yield* Clock.currentTimeMillis, error)
        })

        const schedule = yield* AttemptSchedule.make({
          what: "restore drill",
          every,
          longestDelay: longestDrillDelay,
          stateAt: (now) => drillsAt(to, now),
          attempt: (kind, now) =>
            Effect.catchTag(make(kind, now), "BackupFailed", ({ message }) => failed(now, message))
        })
        const last = Effect.provideService(orUnavailable(lastDrill), Database, database)
        const newest = Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Effect.provideService(orUnavailable(newestBackup(to, now)), Database, database)
        )
        return RestoreDrills.of({
          isOn: every !== undefined,
          alarm: schedule.alarm,
          succeededAt: schedule.succeededAt,
          plan: Effect.gen(function* () {
            const { alarm, dueAt, isRunning } = yield* schedule.state
            return { every, isRunning, dueAt, alarm, last: yield* last }
          }),
          begin: <E, R>(record: Effect.Effect<void, E, R>) =>
            schedule.begin(
              Effect.flatMap(newest, (found): Effect.Effect<void, E | Conflict, R> =>
                found === undefined ? Effect.fail(noBackup) : record
              )
            )
        })
      })
    )
}
