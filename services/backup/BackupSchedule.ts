import { Clock, Context, Effect, Layer, Metric, Schedule } from "effect"
import { Database } from "../database/Database.ts"
import type { FileStore } from "../files/FileStore.ts"
import type { Access } from "../files/S3Place.ts"
import type { Outbox } from "../mail/Outbox.ts"
import { type Alarm, alarmOf, mail } from "./BackupAlarm.ts"
import { recordFailure } from "./BackupAttempts.ts"
import { filesLeftOut } from "./BackupFailure.ts"
import { placesSent } from "./BackupMessages.ts"
import { removeOld } from "./BackupRetention.ts"
import { dueAt, stateAt, type Timing } from "./BackupState.ts"
import { makeBackup } from "./BackupThread.ts"

export interface Options extends Timing {
  /** Number of scheduled backups that stay. */
  readonly keep: number
  /** The age recipients for whom backups are encrypted; none for no encryption. */
  readonly recipients: ReadonlyArray<string>
  readonly access: Access | undefined
  readonly files: FileStore
  readonly version: string
  /** The settings of the server, as JSON without secrets. */
  readonly configuration: string
  readonly publicUrl: string
}

/** Interval at which each node looks whether a backup is due, and whether backups succeed. */
const lookEvery = "30 seconds"

const attempts = Metric.counter("sheaf_backups_total", {
  description: "Scheduled backups that this node made, by outcome: done, failed",
  incremental: true
})
const ended = (outcome: "done" | "failed") => Metric.update(Metric.withAttributes(attempts, { outcome }), 1)

/**
 * Makes backups on a schedule, on one of the nodes: the one that gets the lock of backups first. The times of earlier
 * backups are in the database, so that a schedule continues after restarts.
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
  }
>()("sheaf/backup/BackupSchedule") {
  /** Without options no backups are made. */
  static readonly layer = (options: Options | undefined): Layer.Layer<BackupSchedule, never, Database | Outbox> =>
    Layer.effect(
      BackupSchedule,
      Effect.gen(function* () {
        let alarm: Alarm | undefined
        let succeededAt: number | undefined
        if (options !== undefined) {
          const { access, configuration, files, keep, publicUrl, recipients, to, version, every } = options
          const { address } = yield* Database
          const since = yield* Clock.currentTimeMillis

          const make = Effect.fnUntraced(function* (now: number) {
            const scheduled = { to, every, now, version, configuration, recipients }
            const made = yield* makeBackup({ scheduled, ...placesSent({ access, address, files }) })
            if (made === undefined) return
            const { bytes, file, leftOut } = made
            yield* Effect.logInfo(`the backup ${file} is complete (${bytes} bytes)`)
            if (leftOut > 0) yield* Effect.logWarning(filesLeftOut(`the backup ${file}`, leftOut))
            yield* ended("done")
            yield* removeOld(to, keep, access)
          })

          const failed = Effect.fnUntraced(function* (now: number, error: string) {
            yield* Effect.logError(`the scheduled backup has failed: ${error}`)
            yield* ended("failed")
            const attempt = { target: `${to}/`, encrypted: recipients.length > 0, startedAt: now }
            yield* recordFailure(attempt, yield* Clock.currentTimeMillis, error)
          })

          const makeIfDue = Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            const state = yield* stateAt(options, now)
            if (state.isRunning || dueAt(state, options) > now) return
            yield* Effect.catchTag(make(now), "BackupFailed", ({ message }) => failed(now, message))
          })

          const watch = Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            const state = yield* stateAt(options, now)
            succeededAt = state.succeededAt
            const before = alarm
            alarm = alarmOf(state, options, now, since)
            // A failed attempt has its own line.
            if (before === undefined && alarm !== undefined && alarm.error === undefined) {
              yield* Effect.logError("a scheduled backup is overdue")
            }
            if (before !== undefined && alarm === undefined) yield* Effect.logInfo("scheduled backups succeed again")
            if (alarm !== undefined) yield* mail(alarm, now, publicUrl)
          })

          // Separate, because a backup may take long or hang.
          for (const look of [makeIfDue, watch]) {
            const kept = Effect.catchCause(look, (cause) =>
              Effect.logWarning("the schedule of backups has failed", cause)
            )
            yield* Effect.forkScoped(Effect.delay(Effect.repeat(kept, Schedule.spaced(lookEvery)), lookEvery))
          }
        }
        return BackupSchedule.of({ isOn: options !== undefined, alarm: () => alarm, succeededAt: () => succeededAt })
      })
    )
}
