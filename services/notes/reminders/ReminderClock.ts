import { Clock, Context, Effect, Latch, Layer, Metric } from "effect"
import { emailKey } from "../../Email.ts"
import type { UserId, WorkspaceId } from "../../Ids.ts"
import { BackgroundWork } from "../../concurrency/BackgroundWork.ts"
import { Throttles } from "../../limits/Throttles.ts"
import * as MailTemplates from "../../mail/MailTemplates.ts"
import { Mailer } from "../../mail/Mailer.ts"
import { Outbox } from "../../mail/Outbox.ts"
import { systemActor } from "../../writer/Actor.ts"
import { Database } from "../../database/Database.ts"
import { isGone, ProcessLock } from "../../database/ProcessLock.ts"
import { Writer } from "../../writer/Writer.ts"
import { type Reminder, reminders } from "./Reminder.ts"
import * as Edits from "./ReminderEdits.ts"
import { ReminderPushes } from "./ReminderPushes.ts"

/** Maximum number of reminders that are claimed and fired at once. Other work runs between two batches. */
const batch = 100
/** Milliseconds after which a claim expires, if its process is alive and has not written. */
const claimLife = 15_000
/** Maximum milliseconds until a reminder from another node is found. */
const pollInterval = 5_000

const iso = (millis: number): string => new Date(millis).toISOString()

const fired = Metric.counter("sheaf_reminders_fired_total", {
  description: "Reminders that have fired, by channel",
  incremental: true
})
const overdue = Metric.gauge("sheaf_reminders_late_seconds", {
  description: "Seconds between the due time and the firing of the last reminder that this node fired"
})

/** A due reminder, and the user to notify. */
interface DueReminder {
  readonly workspace_id: WorkspaceId
  readonly id: string
  readonly title: string
  readonly workspace: string
  readonly user_id: UserId
  readonly name: string
  readonly email: string
  readonly email_proven: boolean
  readonly locale: string
  readonly timezone: string
  /** A user who has left the workspace is not notified. */
  readonly is_member: boolean
}

/**
 * Fires reminders when they are due. Any node can claim due reminders in the database. The write that fires a reminder
 * checks it again, in the order of its workspace, so that it is in the log once. If a process stops between claim and
 * write, another one fires the reminder.
 */
export class ReminderClock extends Context.Service<
  ReminderClock,
  {
    /** Called when a reminder was written: it may be the next to fire. */
    readonly expect: (reminder: Reminder) => Effect.Effect<void>
  }
>()("sheaf/notes/reminders/ReminderClock") {
  static readonly layer = (options: { readonly publicUrl: string }) =>
    Layer.effect(
      ReminderClock,
      Effect.gen(function* () {
        const { write: sql } = yield* Database
        const writer = yield* Writer
        const outbox = yield* Outbox
        const { hasSmtp } = yield* Mailer
        const throttles = yield* Throttles
        const pushes = yield* ReminderPushes
        const processLock = yield* ProcessLock
        const background = yield* BackgroundWork
        const awake = Latch.makeUnsafe()
        /** The earliest time of a reminder that was written here since the last look. */
        let nearest = Infinity
        let isLooking = false

        // A claim that ends later than a new one was made before the clock was set back.
        const claimText = `WITH due AS (
            SELECT workspace_id, id FROM reminders r
            WHERE NOT done AND NOT trashed AND remind_at <= $1
              AND (claimed_until IS NULL OR claimed_until <= $1 OR claimed_until > $2 OR ${isGone("claimed_by")})
              AND EXISTS (SELECT FROM workspaces w WHERE w.workspace_id = r.workspace_id AND w.deleted_at IS NULL)
            ORDER BY remind_at LIMIT ${batch} FOR UPDATE SKIP LOCKED
          ), claimed AS (
            UPDATE reminders r SET claimed_until = $2, claimed_by = $3::int FROM due
            WHERE r.workspace_id = due.workspace_id AND r.id = due.id RETURNING r.workspace_id, r.id, r.note_id, r.user_id
          )
          SELECT c.workspace_id, c.id, n.title, w.name AS workspace, u.id AS user_id, u.name, u.email, u.email_proven,
            u.locale, u.timezone, EXISTS (
              SELECT FROM members m WHERE m.workspace_id = c.workspace_id AND m.user_id = c.user_id
            ) AS is_member
          FROM claimed c
          JOIN notes n ON n.workspace_id = c.workspace_id AND n.id = c.note_id
          JOIN workspaces w ON w.workspace_id = c.workspace_id
          JOIN users u ON u.id = c.user_id`

        const letterOf = (
          { email_proven, locale, name, timezone, title, workspace }: DueReminder,
          { remind_at }: Reminder
        ) =>
          MailTemplates.reminder({
            email_proven,
            name,
            title,
            workspace,
            remind_at,
            locale,
            timezone,
            publicUrl: options.publicUrl
          })

        /** Throttles mails to an address that its user has not confirmed. */
        const mayMail = ({ email, email_proven }: DueReminder) =>
          email_proven ? Effect.succeed(true) : throttles.reminder(emailKey(email))

        const fireIn = Effect.fnUntraced(function* (workspace_id: WorkspaceId, due: ReadonlyArray<DueReminder>) {
          const needs = due.map(({ id }) => [reminders, id] as const)
          const done = yield* writer.write(
            workspace_id,
            { actor: systemActor, needs },
            Effect.fnUntraced(function* (draft) {
              const done: Array<Reminder> = []
              for (const entry of due) {
                const reminder = yield* Edits.fire(draft, entry.id)
                if (reminder === undefined) continue
                done.push(reminder)
                if (!entry.is_member) continue
                const isMailed = reminder.channel === "email" && (yield* mayMail(entry))
                if (isMailed) outbox.put(draft, entry.email, letterOf(entry, reminder))
                // A mail that reaches no one must not be the end of a reminder.
                const needsPush = reminder.channel === "email" && !(isMailed && hasSmtp)
                if (reminder.channel === "push" || needsPush) pushes.put(draft, reminder, entry.title)
              }
              return done
            })
          )
          const now = yield* Clock.currentTimeMillis
          for (const { channel, remind_at } of done) {
            yield* Metric.update(Metric.withAttributes(fired, { channel }), 1)
            yield* Metric.update(overdue, Math.max(0, now - Date.parse(remind_at)) / 1000)
          }
          const channels = new Set(done.map(({ channel }) => channel))
          if (channels.has("email")) yield* outbox.wake
          if (channels.has("push") || channels.has("email")) yield* pushes.wake
        })

        /** Fires due reminders; returns false if there may be more. */
        const round = Effect.fnUntraced(function* (now: number) {
          const claimed = yield* sql.unsafe<DueReminder>(claimText, [
            iso(now),
            iso(now + claimLife),
            processLock.holder()
          ])
          for (const [workspace_id, due] of Map.groupBy(claimed, ({ workspace_id }) => workspace_id)) {
            yield* Effect.catchCause(fireIn(workspace_id, due), (cause) =>
              // They are fired when the claim expires.
              Effect.logWarning("reminders could not be fired", cause)
            )
          }
          return claimed.length < batch
        })

        /** Returns when to look again: when the next reminder is due, but at most after `pollInterval`. */
        const nextLook = Effect.fnUntraced(function* (now: number) {
          const [row] = yield* sql.unsafe<{ readonly remind_at: string }>(
            "SELECT remind_at FROM reminders WHERE NOT done AND NOT trashed AND remind_at > $1 ORDER BY remind_at LIMIT 1",
            [iso(now)]
          )
          return row === undefined ? now + pollInterval : Math.min(now + pollInterval, Date.parse(row.remind_at))
        })

        const look = Effect.gen(function* () {
          while (true) {
            const now = yield* Clock.currentTimeMillis
            if (yield* round(now)) return yield* nextLook(now)
            yield* Effect.yieldNow
          }
        }).pipe(
          Effect.catchCause((cause) =>
            Effect.andThen(
              Effect.logWarning("due reminders could not be looked up", cause),
              Effect.map(Clock.currentTimeMillis, (now) => now + pollInterval)
            )
          )
        )

        const run = Effect.gen(function* () {
          // At the start, other work is more urgent.
          let until = (yield* Clock.currentTimeMillis) + pollInterval
          while (true) {
            // A write of an earlier reminder from here on opens the latch.
            awake.closeUnsafe()
            const now = yield* Clock.currentTimeMillis
            // If the clock is set back, the wait must not become longer.
            until = Math.min(until, now + pollInterval)
            const left = Math.min(until, nearest) - now
            if (left > 0) {
              yield* Effect.timeoutOption(awake.await, left)
              continue
            }
            nearest = Infinity
            isLooking = true
            // Uninterruptible: otherwise claimed reminders would wait until the claim expires.
            until = yield* Effect.uninterruptible(look)
            isLooking = false
          }
        })
        const nextDue = Effect.map(
          sql.unsafe<{ readonly next_at: string | null }>(
            // A claim whose write failed delays the reminder.
            `SELECT min(greatest(remind_at, coalesce(claimed_until, ''))) AS next_at FROM reminders r
            WHERE NOT done AND NOT trashed
              AND EXISTS (SELECT FROM workspaces w WHERE w.workspace_id = r.workspace_id AND w.deleted_at IS NULL)`
          ),
          ([row]) => (typeof row?.next_at === "string" ? Date.parse(row.next_at) : Infinity)
        )
        background.add({
          name: "reminders",
          isBusy: () => isLooking || awake.isOpen(),
          nextDue: Effect.orDie(nextDue),
          runNow: () => {
            nearest = 0
            awake.openUnsafe()
          }
        })
        yield* Effect.forkScoped(run)

        return ReminderClock.of({
          expect: ({ done, remind_at }) =>
            Effect.sync(() => {
              if (done) return
              nearest = Math.min(nearest, Date.parse(remind_at))
              awake.openUnsafe()
            })
        })
      })
    )
}
