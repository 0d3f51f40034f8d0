import { Clock, Effect, Layer, Schedule } from "effect"
import { hostname } from "node:os"
import { BackupSchedule } from "../backup/BackupSchedule.ts"
import { RestoreDrills } from "../backup/RestoreDrills.ts"
import { BackgroundWork } from "../concurrency/BackgroundWork.ts"
import { Database } from "../database/Database.ts"
import { DiskSpace } from "../files/DiskSpace.ts"
import { type Alarm, mail } from "./OperatorMails.ts"
import * as OperatorLetters from "../mail/OperatorLetters.ts"
import { Nodes } from "./Nodes.ts"

/** Interval at which each node looks for alarms. */
const lookEvery = "1 minute"

const hour = 3_600_000
const day = 24 * hour

/** Milliseconds in which the nodes of an upgrade may have several versions. */
const upgradeTime = hour

const iso = (millis: number): string => new Date(millis).toISOString()

/** $1 is the time since when mails were given up, and since when a check has ended. */
const countsText = `SELECT (SELECT count(*) FROM failed_mails WHERE failed_at > $1)::float8 AS mails,
  (SELECT results FROM check_runs WHERE ended_at > $1 ORDER BY started_at DESC, id DESC LIMIT 1) AS checks`

interface Counts {
  readonly mails: number
  /** The results of the last run, of an operator or of a schedule; null if none has ended. */
  readonly checks: ReadonlyArray<{ readonly check: string; readonly status: string }> | null
}

/** Mails operators about what needs their attention: the only list of alarms. */
export const layer = ({ publicUrl }: { readonly publicUrl: string }) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { read } = yield* Database
      const backups = yield* BackupSchedule
      const drills = yield* RestoreDrills
      const disk = yield* DiskSpace
      const nodes = yield* Nodes
      const rounds = (yield* BackgroundWork).rounds("alarms")

      const current = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const alarms: Array<Alarm> = []
        for (const [kind, failure] of [["backups", backups.alarm()] as const, ["drills", drills.alarm()] as const]) {
          if (failure === undefined) continue
          const { error, succeededAt } = failure
          const succeeded_at = succeededAt === undefined ? undefined : iso(succeededAt)
          alarms.push({ kind, letter: OperatorLetters.backupsFail({ kind, error, succeeded_at, publicUrl }) })
        }
        if (disk.isLow()) {
          const letter = OperatorLetters.diskIsLow({ ...disk.space(), host: hostname(), publicUrl })
          alarms.push({ kind: "disk", letter })
        }
        const [counts] = yield* read.unsafe<Counts>(countsText, [iso(now - day)])
        if (counts!.mails > 0) {
          alarms.push({ kind: "mails", letter: OperatorLetters.mailsFail({ count: counts!.mails, publicUrl }) })
        }
        const faulty = (counts!.checks ?? []).filter(({ status }) => status === "faulty").map(({ check }) => check)
        if (faulty.length > 0) {
          alarms.push({ kind: "checks", letter: OperatorLetters.checksFail({ checks: faulty, publicUrl }) })
        }
        const running = yield* nodes.list
        const versions = [...new Set(running.map(({ version }) => version))]
        const isUpgrade = running.some(({ started_at }) => started_at > iso(now - upgradeTime))
        if (versions.length > 1 && !isUpgrade) {
          alarms.push({ kind: "versions", letter: OperatorLetters.versionsDiffer({ versions, publicUrl }) })
        }
        return alarms
      })

      const look = rounds(Effect.flatMap(current, (alarms) => Effect.forEach(alarms, mail, { discard: true }))).pipe(
        Effect.catchCause((cause) => Effect.logWarning("alarms could not be mailed", cause))
      )
      yield* Effect.forkScoped(Effect.delay(Effect.repeat(look, Schedule.spaced(lookEvery)), lookEvery))
    })
  )
