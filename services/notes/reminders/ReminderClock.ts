import { Clock, Context, Effect, Latch, Layer, Metric } from "effect"
import { emailKey } from "../../Email.ts"
import type { UserId, WorkspaceId } from "../../Ids.ts"
import { Throttles } from "../../limits/Throttles.ts"
import * as MailTemplates from "../../mail/MailTemplates.ts"
import { Outbox } from "../../mail/Outbox.ts"
import { systemActor } from "../../writer/Actor.ts"
import { Database } from "../../database/Database.ts"
import { isGone, Presence } from "../../database/Presence.ts"
import { Writer } from "../../writer/Writer.ts"
import { type Reminder, reminders } from "./Reminder.ts"
import * as Edits from "./ReminderEdits.ts"
import { ReminderPushes } from "./ReminderPushes.ts"

/** So many are claimed and fired at a time: between two times, others are served. */
const batch = 100
/** A claim lapses after so long, should its holder live and not have written. */
const claimLife = 15_000
/** What was armed elsewhere is found after so long. */
const lookEvery = 5_000

const iso = (millis: number): string => new Date(millis).toISOString()

const fired = Metric.counter("sheaf_reminders_fired_total", {
  description: "Reminders that have fired, by channel",
  incremental: true
})
const overdue = Metric.gauge("sheaf_reminders_late_seconds", {
  description: "How late the reminder was that this node fired last"
})

/** Who is told, and of what. */
interface Told {
  readonly workspace_id: WorkspaceId
  readonly id: string
  readonly title: string
  readonly workspace: string
  readonly user_id: UserId
  readonly name: string
  readonly email: string
  readonly email_proven: boolean
  readonly timezone: string
  /** Who has left the workspace is told nothing of it any more. */
  readonly is_member: boolean
}

/**
 * Fires reminders when their time has come. What is due is claimed in the database, by any of several nodes; what became
 * of a reminder is decided by the write that fires it, in the order of its workspace, so that it stands in the log once.
 * A process that dies between claim and write leaves it to the next one.
 */
export class ReminderClock extends Context.Service<
  ReminderClock,
  {
    /** A reminder was written: it may be the next to fire. */
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
        const throttles = yield* Throttles
        const pushes = yield* ReminderPushes
        const presence = yield* Presence
        const awake = Latch.makeUnsafe()
        /** When the next one fires that was written here since the last look. */
        let nearest = Infinity

        // What is claimed far ahead was claimed before the clock was set back.
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
            u.timezone, EXISTS (
              SELECT FROM members m WHERE m.workspace_id = c.workspace_id AND m.user_id = c.user_id
            ) AS is_member
          FROM claimed c
          JOIN notes n ON n.workspace_id = c.workspace_id AND n.id = c.note_id
          JOIN workspaces w ON w.workspace_id = c.workspace_id
          JOIN users u ON u.id = c.user_id`

        const letterOf = ({ email_proven, name, timezone, title, workspace }: Told, { remind_at }: Reminder) =>
          MailTemplates.reminder({
            email_proven,
            name,
            title,
            workspace,
            remind_at,
            timezone,
            publicUrl: options.publicUrl
          })

        /** Nobody is to flood an address that never was theirs. */
        const mayMail = ({ email, email_proven }: Told) =>
          email_proven ? Effect.succeed(true) : throttles.reminder(emailKey(email))

        const fireIn = Effect.fnUntraced(function* (workspace_id: WorkspaceId, due: ReadonlyArray<Told>) {
          const needs = due.map(({ id }) => [reminders, id] as const)
          const done = yield* writer.write(
            workspace_id,
            { actor: systemActor, needs },
            Effect.fnUntraced(function* (draft) {
              const done: Array<Reminder> = []
              for (const told of due) {
                const reminder = yield* Edits.fire(draft, told.id)
                if (reminder === undefined) continue
                done.push(reminder)
                if (!told.is_member) continue
                if (reminder.channel === "push") pushes.put(draft, reminder, told.title)
                if (reminder.channel === "email" && (yield* mayMail(told))) {
                  outbox.put(draft, told.email, letterOf(told, reminder))
                }
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
          if (channels.has("push")) yield* pushes.wake
        })

        /** Fires what is due; false when there may be more. */
        const round = Effect.fnUntraced(function* (now: number) {
          const claimed = yield* sql.unsafe<Told>(claimText, [iso(now), iso(now + claimLife), presence.holder()])
          for (const [workspace_id, due] of Map.groupBy(claimed, ({ workspace_id }) => workspace_id)) {
            yield* Effect.catchCause(fireIn(workspace_id, due), (cause) =>
              // The claim lapses, and they are fired then.
              Effect.logWarning("reminders could not be fired", cause)
            )
          }
          return claimed.length < batch
        })

        /** When to look again: when the next one is due that was not at the last look, if not before. */
        const nextLook = Effect.fnUntraced(function* (now: number) {
          const [row] = yield* sql.unsafe<{ readonly remind_at: string }>(
            "SELECT remind_at FROM reminders WHERE NOT done AND NOT trashed AND remind_at > $1 ORDER BY remind_at LIMIT 1",
            [iso(now)]
          )
          return row === undefined ? now + lookEvery : Math.min(now + lookEvery, Date.parse(row.remind_at))
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
              Effect.logWarning("due reminders were not looked for", cause),
              Effect.map(Clock.currentTimeMillis, (now) => now + lookEvery)
            )
          )
        )

        const run = Effect.gen(function* () {
          // A start has more urgent work.
          let until = (yield* Clock.currentTimeMillis) + lookEvery
          while (true) {
            // Who writes a nearer one from here on opens it.
            awake.closeUnsafe()
            const now = yield* Clock.currentTimeMillis
            // A clock that is set back does not keep it waiting.
            until = Math.min(until, now + lookEvery)
            const left = Math.min(until, nearest) - now
            if (left > 0) {
              yield* Effect.timeoutOption(awake.await, left)
              continue
            }
            nearest = Infinity
            // What is claimed is fired: an end in between would leave it until the claim lapses.
            until = yield* Effect.uninterruptible(look)
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
