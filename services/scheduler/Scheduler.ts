import { Clock, Effect, Layer, Metric, Schedule } from "effect"
import { AuditLog } from "../activity/AuditLog.ts"
import { eventLife, Events } from "../activity/Events.ts"
import { UsageCounters } from "../activity/UsageCounters.ts"
import { Sessions } from "../identity/Sessions.ts"
import { restoreWindow } from "../notes/NoteEdits.ts"
import { Notes } from "../notes/Notes.ts"
import { Notifier } from "../notifier/Notifier.ts"
import { Database } from "../storage/Database.ts"
import { keyLife } from "../storage/IdempotencyKeys.ts"
import { tombstoneLife } from "../sync/Cursor.ts"
import { Devices } from "../sync/Devices.ts"
import { restoreWindow as workspaceWindow, Workspaces } from "../workspaces/Workspaces.ts"

/** A note that can no longer be restored stays for a week, in which the answer still says why (contract 5). */
const purgeAfter = restoreWindow + 7 * 24 * 3600_000
/** A deleted workspace can be brought back to the last moment: nothing of it is erased on the edge of that. */
const eraseAfter = workspaceWindow + 24 * 3600_000
/** Applied mutations are remembered for 30 days (contract 6). */
const mutationLife = 30 * 24 * 3600_000
/** As long as audit entries on the larger plans. */
const requestLife = 400 * 24 * 3600_000
/** Invitations are shown for so long after they have expired. */
const invitationLife = 90 * 24 * 3600_000
/** As long as the tokens in its mails can be good for (contract 4: invitations by default, password resets for less). */
const outboxLife = 7 * 24 * 3600_000
const batch = 200
/** Notes are large: so many are erased in one write. */
const purgedAtOnce = 20
const endedAtOnce = 1_000

const runs = Metric.counter("sheaf_job_runs_total", {
  description: "Runs of what goes by the clock",
  incremental: true
})

/**
 * Everything that runs without a request, once an hour, on every node. A job does what is due
 * by the time that it finds, so that one that was missed or cut short is made up for, and two at once do no harm.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { write: sql } = yield* Database
    const notes = yield* Notes
    const events = yield* Events
    const workspaces = yield* Workspaces
    const sessions = yield* Sessions
    const devices = yield* Devices
    const audit = yield* AuditLog
    const usage = yield* UsageCounters
    const notifier = yield* Notifier

    const before = (age: number) => Effect.map(Clock.currentTimeMillis, (now) => new Date(now - age).toISOString())

    /** Erases what has been in the trash for too long: some notes of a workspace in one write. */
    const purgeTrash = Effect.gen(function* () {
      const cutoff = yield* before(purgeAfter)
      while (true) {
        const due = yield* sql.unsafe<{ workspace_id: string; ids: ReadonlyArray<string> }>(
          `SELECT workspace_id, array_agg(id) AS ids FROM (
            SELECT workspace_id, id, row_number() OVER (PARTITION BY workspace_id) AS place FROM (
              SELECT workspace_id, id FROM notes WHERE deleted_at < $1 ORDER BY deleted_at LIMIT ${batch}
            ) oldest
          ) placed GROUP BY workspace_id, place / ${purgedAtOnce}`,
          [cutoff]
        )
        let purged = 0
        for (const { ids, workspace_id } of due) purged += yield* notes.purgeTrashed(workspace_id, ids, cutoff)
        // None: what was due is no longer, or the rest.
        if (purged === 0) return
      }
    })

    /** Deletes the rows of a table for which a condition on $1, a moment, holds: some at a time, so that no statement runs long. */
    const end = (table: string, condition: string, age: number) =>
      Effect.flatMap(
        before(age),
        Effect.fnUntraced(function* (cutoff: string) {
          while (true) {
            const gone = yield* sql.unsafe(
              `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${endedAtOnce}))
            RETURNING 1 AS gone`,
              [cutoff]
            )
            if (gone.length < endedAtOnce) return
          }
        })
      )

    const forgetMutations = end("mutations", "created_at < $1", mutationLife)

    const forgetKeys = end("idempotency_keys", "created_at < $1", keyLife)

    /** Tombstones that no cursor can lie before any more. */
    const dropTombstones = end("records", "deleted AND changed_at < $1", tombstoneLife)

    /** Accepted ones too: an invitation is open for 30 days at most. */
    const endInvitations = end("invitations", "expires_at < $1", invitationLife)

    const endOutbox = Effect.flatMap(before(outboxLife), notifier.endOutbox)

    const endEvents = Effect.flatMap(before(eventLife), events.prune)

    const endAudit = audit.prune

    const endRequests = Effect.flatMap(before(requestLife), (cutoff) => usage.prune(cutoff.slice(0, 10)))

    const endSessions = Effect.flatMap(before(0), sessions.prune)

    const endDevices = Effect.flatMap(Clock.currentTimeMillis, devices.prune)

    const purgeWorkspaces = Effect.flatMap(before(eraseAfter), workspaces.purgeDeleted)

    const jobs = {
      purgeTrash,
      forgetMutations,
      forgetKeys,
      dropTombstones,
      endInvitations,
      endOutbox,
      endEvents,
      endAudit,
      endRequests,
      endSessions,
      endDevices,
      purgeWorkspaces
    }

    // One after the other: housekeeping takes one connection from the others, not one for each job.
    const round = Effect.forEach(
      Object.entries(jobs),
      ([job, work]) => {
        const ended = (outcome: string) => Metric.update(Metric.withAttributes(runs, { job, outcome }), 1)
        return Effect.andThen(work, ended("done")).pipe(
          // The next round makes up for it.
          Effect.catchCause((cause) => Effect.andThen(Effect.logWarning(`${job} was not done`, cause), ended("failed")))
        )
      },
      { discard: true }
    )

    yield* Effect.forkScoped(Effect.delay(Effect.repeat(round, Schedule.spaced("1 hour")), "1 minute"))
  })
)
