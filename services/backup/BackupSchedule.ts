import { Clock, Context, Effect, Layer, Metric } from "effect"
import type { BackgroundWork } from "../concurrency/BackgroundWork.ts"
import { Database } from "../database/Database.ts"
import { Conflict, type Unavailable } from "../Errors.ts"
import type { FileStore } from "../files/FileStore.ts"
import type { Access } from "../files/S3Place.ts"
import * as AttemptSchedule from "./AttemptSchedule.ts"
import type { Alarm } from "./BackupAlarm.ts"
import { type Attempt, recordFailure } from "./BackupAttempts.ts"
import { filesLeftOut } from "./BackupFailure.ts"
import { placesSent } from "./BackupMessages.ts"
import { removeOld } from "./BackupRetention.ts"
import { backupsAt, longestBackupDelay } from "./BackupState.ts"
import { runThread } from "./BackupThread.ts"

export interface Options {
  /** The directory, or the s3:// URL without a slash at its end. */
  readonly to: string
  /** Milliseconds from the start of a scheduled backup to the start of the next one; undefined without a schedule. */
  readonly every: number | undefined
  /** Milliseconds from the start of a scheduled drill to the start of the next one; undefined without a schedule. */
  readonly verifyEvery: number | undefined
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

const attempts = Metric.counter("sheaf_backups_total", {
  description: "Scheduled backups that this node made, by outcome: done, failed",
  incremental: true
})
const ended = (outcome: "done" | "failed") => Metric.update(Metric.withAttributes(attempts, { outcome }), 1)

export const nowhere = new Conflict({ code: "invalid_state", detail: "There is no place for backups: set BACKUP_TO" })

/** Makes backups on a schedule, on one of the nodes. Operators can begin further backups. */
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
        const { access, configuration, every, files, keep, recipients, to, version } = options
        const { address } = yield* Database

        const make = Effect.fnUntraced(function* (kind: Attempt["kind"], now: number) {
          const wanted = {
            work: "backup",
            kind,
            to,
            every: every ?? 0,
            now,
            version,
            configuration,
            recipients
          } as const
          const made = yield* runThread({ wanted, ...placesSent({ access, address, files }) })
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

        const schedule = yield* AttemptSchedule.make({
          what: "backup",
          every,
          longestDelay: longestBackupDelay,
          stateAt: (now) => backupsAt(to, now),
          attempt: (kind, now) =>
            Effect.catchTag(make(kind, now), "BackupFailed", ({ message }) => failed(kind, now, message))
        })
        return BackupSchedule.of({
          isOn: every !== undefined,
          alarm: schedule.alarm,
          succeededAt: schedule.succeededAt,
          plan: Effect.map(schedule.state, (state) => ({
            to,
            every,
            keep,
            isEncrypted: recipients.length > 0,
            ...state
          })),
          begin: schedule.begin
        })
      })
    )
}
