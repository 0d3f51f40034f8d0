import { type Duration, Effect, Layer, Metric, Schedule } from "effect"
import { BackgroundWork } from "../concurrency/BackgroundWork.ts"
import { CheckRuns } from "../admin/CheckRuns.ts"
import { AuditLog } from "../activity/AuditLog.ts"
import { Contents } from "../contents/Contents.ts"
import { ChangeSets } from "../changesets/ChangeSets.ts"
import { Events } from "../activity/Events.ts"
import { KeyRequests } from "../activity/KeyRequests.ts"
import { RefusedCalls } from "../activity/RefusedCalls.ts"
import { UsageCounters } from "../activity/UsageCounters.ts"
import { AccountDeletions } from "../identity/AccountDeletions.ts"
import { Sessions } from "../identity/Sessions.ts"
import type { Attachments } from "../notes/attachments/Attachments.ts"
import type { Notes } from "../notes/Notes.ts"
import { endFormerNames } from "../notes/NoteNames.ts"
import { endPending } from "../notes/attachments/PendingAttachments.ts"
import { resealTokens } from "../notes/shares/ShareTokens.ts"
import { purgeTrash } from "../notes/Trash.ts"
import { StoredClients } from "../oauth/StoredClients.ts"
import { Mailer } from "../mail/Mailer.ts"
import { Outbox } from "../mail/Outbox.ts"
import type { Blobs } from "../files/Blobs.ts"
import { collectBlobs } from "../files/BlobCollection.ts"
import type { Database } from "../database/Database.ts"
import type { Secrets } from "../secrets/Secrets.ts"
import { IdempotencyKeys } from "../writer/IdempotencyKeys.ts"
import { Exports } from "../transfers/exports/Exports.ts"
import { Imports } from "../transfers/imports/Imports.ts"
import { Series } from "../series/Series.ts"
import { Devices } from "../sync/Devices.ts"
import { pruneMutations } from "../sync/Mutations.ts"
import { dropTombstones } from "../sync/Tombstones.ts"
import { Deliveries } from "../webhooks/Deliveries.ts"
import { Invitations } from "../workspaces/Invitations.ts"
import { Workspaces } from "../workspaces/Workspaces.ts"

/** Periodic work of a service. A run depends only on the current time, so it makes up for earlier runs that failed. */
interface Job<E, R> {
  readonly name: string
  readonly every: Duration.Input
  readonly run: Effect.Effect<void, E, R>
}

const runs = Metric.counter("sheaf_job_runs_total", {
  description: "Runs of scheduled jobs",
  incremental: true
})

const once = <E, R>({ name, run }: Job<E, R>) => {
  const ended = (outcome: string) => Metric.update(Metric.withAttributes(runs, { job: name, outcome }), 1)
  return run.pipe(
    Effect.withSpan(`Scheduler.${name}`),
    Effect.matchCauseEffect({
      onSuccess: () => Effect.andThen(Effect.logDebug(`the job ${name} is done`), ended("done")),
      // The next run makes up for it.
      onFailure: (cause) => Effect.andThen(Effect.logWarning(`the job ${name} failed`, cause), ended("failed"))
    })
  )
}

/**
 * Runs the scheduled jobs, on every node. Two nodes that run the same job do no harm. Jobs with the same interval run
 * one after the other, so that housekeeping uses one connection and not one for each job.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const mailer = yield* Mailer
    const outbox = yield* Outbox
    const idempotencyKeys = yield* IdempotencyKeys
    const invitations = yield* Invitations
    const workspaces = yield* Workspaces
    const sessions = yield* Sessions
    const accountDeletions = yield* AccountDeletions
    const devices = yield* Devices
    const changeSets = yield* ChangeSets
    const contents = yield* Contents
    const events = yield* Events
    const audit = yield* AuditLog
    const refusedCalls = yield* RefusedCalls
    const usage = yield* UsageCounters
    const keyRequests = yield* KeyRequests
    const series = yield* Series
    const deliveries = yield* Deliveries
    const exports = yield* Exports
    const imports = yield* Imports
    const checks = yield* CheckRuns
    const clients = yield* StoredClients

    const jobs: ReadonlyArray<Job<unknown, Attachments | Blobs | Database | Notes | Secrets>> = [
      { name: "purgeTrash", every: "1 hour", run: purgeTrash },
      { name: "endPending", every: "1 hour", run: endPending },
      { name: "endFormerNames", every: "1 hour", run: endFormerNames },
      { name: "resealTokens", every: "1 hour", run: resealTokens },
      { name: "collectBlobs", every: "1 hour", run: collectBlobs },
      { name: "forgetMutations", every: "1 hour", run: pruneMutations },
      { name: "forgetKeys", every: "1 hour", run: idempotencyKeys.prune },
      { name: "dropTombstones", every: "1 hour", run: dropTombstones },
      { name: "endClients", every: "1 hour", run: clients.prune },
      { name: "endInvitations", every: "1 hour", run: invitations.prune },
      { name: "endExports", every: "1 hour", run: exports.prune },
      { name: "endImports", every: "1 hour", run: imports.prune },
      { name: "endOutbox", every: "1 hour", run: mailer.endOutbox },
      { name: "endFailedMails", every: "1 hour", run: outbox.prune },
      { name: "endChangeSets", every: "1 hour", run: changeSets.prune },
      { name: "endEvents", every: "1 hour", run: events.prune },
      { name: "endAudit", every: "1 hour", run: audit.prune },
      { name: "storeRefusedCalls", every: "1 hour", run: refusedCalls.store },
      { name: "endRequests", every: "1 hour", run: usage.prune },
      { name: "endKeyRequests", every: "1 hour", run: keyRequests.prune },
      { name: "endSeries", every: "1 hour", run: series.prune },
      { name: "endDeliveries", every: "1 hour", run: deliveries.prune },
      { name: "endSessions", every: "1 hour", run: sessions.prune },
      { name: "endAccounts", every: "1 hour", run: accountDeletions.finish },
      { name: "endDevices", every: "1 hour", run: devices.prune },
      { name: "purgeWorkspaces", every: "1 hour", run: workspaces.purgeDeleted },
      // Last, because they may take minutes.
      { name: "readContents", every: "1 hour", run: contents.readOn },
      { name: "checkServer", every: "1 hour", run: checks.daily }
    ]

    const rounds = (yield* BackgroundWork).rounds("scheduled jobs")
    for (const [every, due] of Map.groupBy(jobs, ({ every }) => every)) {
      const round = rounds(Effect.forEach(due, once, { discard: true }))
      yield* Effect.forkScoped(Effect.delay(Effect.repeat(round, Schedule.spaced(every)), "1 minute"))
    }
  })
)
