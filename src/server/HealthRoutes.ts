import { Duration, Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { AuditExport } from "../../services/activity/audit/AuditExport.ts"
import { CheckRuns } from "../../services/admin/CheckRuns.ts"
import { BackupSchedule } from "../../services/backup/BackupSchedule.ts"
import { RestoreDrills } from "../../services/backup/RestoreDrills.ts"
import { Database } from "../../services/database/Database.ts"
import { BlobWatch } from "../../services/files/BlobWatch.ts"
import { Readiness } from "./http/server/Readiness.ts"
import { version } from "./Version.ts"

/** Whether the process runs, and whether it can serve requests: for supervisors and load balancers. */
export const HealthRoutes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const readiness = yield* Readiness
    const { read, refusals } = yield* Database
    const files = yield* BlobWatch
    const backups = yield* BackupSchedule
    const drills = yield* RestoreDrills
    const checks = yield* CheckRuns
    const audit = yield* AuditExport
    const text = (body: string, status: number) =>
      HttpServerResponse.text(`${body}\n`, { status, headers: { "sheaf-version": version } })
    yield* router.add("GET", "/healthz", Effect.succeed(text("ok", 200)))
    const notReady = (why: string) => HttpServerResponse.setHeader(text(why, 503), "retry-after", "2")
    const reached = Effect.andThen(
      Effect.mapError(Effect.timeout(read.unsafe("SELECT 1"), Duration.seconds(2)), () => "no database"),
      Effect.suspend(() => (refusals.areRecent ? Effect.fail("the database takes no writes") : Effect.void))
    )
    // Still ready while files cannot be reached: most requests need none, and other nodes could not reach them either.
    const ready = () => {
      const outage = files.outage()
      const alarm = backups.alarm()
      const drillAlarm = drills.alarm()
      const faults = [
        ...(outage === undefined ? [] : [`without files: ${outage}`]),
        // The reason is in the log: it may name a path.
        ...(checks.faulty().length === 0 ? [] : [`the checks found faults: ${checks.faulty().join("; ")}`]),
        ...(alarm === undefined ? [] : [alarm.error === undefined ? "a backup is overdue" : "the last backup failed"]),
        ...(drillAlarm === undefined
          ? []
          : [drillAlarm.error === undefined ? "a restore drill is overdue" : "the last restore drill failed"]),
        ...(audit.isFailing() ? ["the audit log is not written"] : [])
      ]
      return text(["ready", ...faults].join(", "), 200)
    }
    yield* router.add(
      "GET",
      "/readyz",
      Effect.suspend(() =>
        readiness.state !== "ready"
          ? Effect.succeed(notReady(readiness.state))
          : reached.pipe(Effect.match({ onSuccess: ready, onFailure: notReady }))
      )
    )
  })
)
