import { Clock, Effect, Layer, Schedule } from "effect"
import { hostname } from "node:os"
import { BackupSchedule } from "../backup/BackupSchedule.ts"
import { RestoreDrills } from "../backup/RestoreDrills.ts"
import { BackgroundWork } from "../concurrency/BackgroundWork.ts"
import { Database } from "../database/Database.ts"
import { DiskSpace } from "../files/DiskSpace.ts"
import * as OperatorLetters from "../mail/OperatorLetters.ts"
import { type AlarmWebhook, send } from "./AlarmWebhook.ts"
import { certificateEnd } from "./CertificateEnd.ts"
import { Nodes } from "./Nodes.ts"
import { type Alarm, mail } from "./OperatorMails.ts"
import { laterRelease } from "./Releases.ts"

/** Interval at which each node looks for alarms. */
const lookEvery = "1 minute"

const hour = 3_600_000
const day = 24 * hour

/** Milliseconds in which the nodes of an upgrade may have several versions. */
const upgradeTime = hour

/** Days before the disk is full, and before the certificate ends, from which on that is an alarm. */
const early = 14

const iso = (millis: number): string => new Date(millis).toISOString()

/** $1 is the time since when mails were given up, and since when a check has ended. */
const countsText = `SELECT (SELECT count(*) FROM failed_mails WHERE failed_at > $1)::float8 AS mails,
  (SELECT results FROM check_runs WHERE ended_at > $1 ORDER BY started_at DESC, id DESC LIMIT 1) AS checks`

interface Counts {
  readonly mails: number
  /** The results of the last run, of an operator or of a schedule; null if none has ended. */
  readonly checks: ReadonlyArray<{ readonly check: string; readonly status: string }> | null
}

/** $1 is the time since when they were disabled. */
const webhooksText = `SELECT count(*)::float8 AS count FROM webhooks
  WHERE disabled_reason IN ('gone', 'failing') AND updated_at > $1`

/** The first and the last hour since $1 in which the stored bytes were measured. */
const growthText = `SELECT at, file_bytes, database_bytes FROM series_points
  WHERE resolution = 'hour' AND at >= $1 AND file_bytes IS NOT NULL AND database_bytes IS NOT NULL ORDER BY at`

interface Stored {
  readonly at: string
  readonly file_bytes: number
  readonly database_bytes: number
}

interface Options {
  readonly publicUrl: string
  readonly version: string
  /** Whether files, and the database, are on the disk of DATA_DIR. */
  readonly onDisk: { readonly files: boolean; readonly database: boolean }
  readonly webhook: AlarmWebhook | undefined
  /** RELEASES_URL. */
  readonly releases: string | undefined
}

/** What operators should know, by mail and by ALARM_WEBHOOK: the only list of alarms. */
export const layer = ({ onDisk, publicUrl, releases, version, webhook }: Options) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { read } = yield* Database
      const backups = yield* BackupSchedule
      const drills = yield* RestoreDrills
      const disk = yield* DiskSpace
      const nodes = yield* Nodes
      const rounds = (yield* BackgroundWork).rounds("alarms")
      /** As read once a day. */
      let daily: ReadonlyArray<Alarm> = []

      const bytesOn = ({ database_bytes, file_bytes }: Stored): number =>
        (onDisk.files ? file_bytes : 0) + (onDisk.database ? database_bytes : 0)

      /** The days until the disk is full, if what is stored grows as in the last week; Infinity if it does not. */
      const daysUntilFull = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const points = yield* read.unsafe<Stored>(growthText, [iso(now - 7 * day)])
        const [first, last] = [points[0], points.at(-1)]
        if (first === undefined || last === undefined) return Infinity
        const days = (Date.parse(last.at) - Date.parse(first.at)) / day
        const grown = bytesOn(last) - bytesOn(first)
        return days < 1 || grown <= 0 ? Infinity : Math.floor((disk.space().free * days) / grown)
      })

      const lookDaily = Effect.gen(function* () {
        const found: Array<Alarm> = []
        const days = yield* daysUntilFull
        if (days < early) {
          const notice = OperatorLetters.diskFills({ ...disk.space(), host: hostname(), publicUrl, days })
          found.push({ kind: "disk_fills", notice })
        }
        const now = yield* Clock.currentTimeMillis
        const [webhooks] = yield* read.unsafe<{ readonly count: number }>(webhooksText, [iso(now - day)])
        if (webhooks!.count > 0) {
          found.push({ kind: "webhooks", notice: OperatorLetters.webhooksEnd({ count: webhooks!.count, publicUrl }) })
        }
        const endsAt = publicUrl.startsWith("https:") ? yield* certificateEnd(publicUrl) : undefined
        if (endsAt !== undefined && endsAt < now + early * day) {
          found.push({ kind: "certificate", notice: OperatorLetters.certificateEnds({ at: iso(endsAt), publicUrl }) })
        }
        const released = releases === undefined ? undefined : yield* laterRelease(releases, version)
        if (released !== undefined) {
          const notice = OperatorLetters.versionReleased({ released, running: version, publicUrl })
          found.push({ kind: `release ${released}`, notice })
        }
        daily = found
      })

      const current = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const alarms: Array<Alarm> = []
        for (const [kind, failure] of [["backups", backups.alarm()] as const, ["drills", drills.alarm()] as const]) {
          if (failure === undefined) continue
          const { error, succeededAt } = failure
          const succeeded_at = succeededAt === undefined ? undefined : iso(succeededAt)
          alarms.push({ kind, notice: OperatorLetters.backupsFail({ kind, error, succeeded_at, publicUrl }) })
        }
        if (disk.isLow()) {
          const notice = OperatorLetters.diskIsLow({ ...disk.space(), host: hostname(), publicUrl })
          alarms.push({ kind: "disk", notice })
        }
        const [counts] = yield* read.unsafe<Counts>(countsText, [iso(now - day)])
        if (counts!.mails > 0) {
          alarms.push({ kind: "mails", notice: OperatorLetters.mailsFail({ count: counts!.mails, publicUrl }) })
        }
        const faulty = (counts!.checks ?? []).filter(({ status }) => status === "faulty").map(({ check }) => check)
        if (faulty.length > 0) {
          alarms.push({ kind: "checks", notice: OperatorLetters.checksFail({ checks: faulty, publicUrl }) })
        }
        const running = yield* nodes.list
        const versions = [...new Set(running.map(({ version }) => version))]
        const isUpgrade = running.some(({ started_at }) => started_at > iso(now - upgradeTime))
        if (versions.length > 1 && !isUpgrade) {
          alarms.push({ kind: "versions", notice: OperatorLetters.versionsDiffer({ versions, publicUrl }) })
        }
        return [...alarms, ...daily]
      })

      const logged = <E, R>(look: Effect.Effect<void, E, R>) =>
        Effect.catchCause(look, (cause) => Effect.logWarning("alarms could not be reported", cause))

      let nextDaily = 0
      const look = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        if (now >= nextDaily) {
          nextDaily = now + day
          yield* logged(lookDaily)
        }
        const [first, ...others] = yield* current
        if (first === undefined) return
        yield* mail(publicUrl, [first, ...others])
        if (webhook !== undefined) yield* send(webhook, publicUrl, [first, ...others])
      })
      yield* Effect.forkScoped(Effect.delay(Effect.repeat(rounds(logged(look)), Schedule.spaced(lookEvery)), lookEvery))
    })
  )
