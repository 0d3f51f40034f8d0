import { Clock, Context, Duration, Effect, Layer, Queue, Schedule } from "effect"
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Database } from "./Database.ts"

/**
 * The channel of NOTIFY. A message is a line of words: the sender, a topic, and items.
 *
 * - `SENDER log WORKSPACE:SEQ …`: the logs of these workspaces have reached these seqs.
 * - `all access WORKSPACE:0`: permissions in the workspace have changed.
 * - `SENDER work QUEUE …`: these queues have work for other processes; from `all`, for this process too.
 * - `all ended QUEUE:ID`: the work of this row of a queue has been cancelled.
 * - `all reindex WORKSPACE:0`: the search index of the workspace must be built again.
 * - `SENDER` is a heartbeat.
 */
export const notifyChannel = "sheaf"

/** Notifies all processes that the row of a queue has been removed, in the commit of the transaction that removes it. */
export const notifyEnded = (sql: PgClient, queue: string, id: string) =>
  sql.unsafe("SELECT pg_notify($1, $2)", [notifyChannel, `all ended ${queue}:${id}`])

/** Notifies all processes that a row has been added to a queue, in the commit of the transaction that adds it. */
export const notifyAdded = (sql: PgClient, queue: string) =>
  sql.unsafe("SELECT pg_notify($1, $2)", [notifyChannel, `all work ${queue}`])

/** Notifies all processes that their search indexes of a workspace must be built again, in the commit of the transaction. */
export const notifyReindex = (sql: PgClient, workspace_id: string) =>
  sql.unsafe("SELECT pg_notify($1, $2)", [notifyChannel, `all reindex ${workspace_id}:0`])

/** Interval between the heartbeats that each process sends. */
const beat = Duration.millis(500)
/** Milliseconds without a message, not even its own heartbeat, after which a process counts as cut off. */
const cutOffAfter = 2_000

/**
 * Handlers of messages from other processes. A message about the log is only a hint: it may be late, double or lost.
 */
export interface Subscriber {
  /** The log of a workspace has reached a seq. */
  readonly log?: (workspace_id: string, seq: number) => void
  /** Permissions in a workspace have changed. Sent in the commit of the change, by any process, including this one. */
  readonly access?: (workspace_id: string) => void
  /** A queue has more work than the process that sends the message has room for. */
  readonly work?: (queue: string) => void
  /** The work of a row of a queue has been cancelled. Sent in the commit that removes the row, by any process. */
  readonly ended?: (queue: string, id: string) => void
  /** The search index of a workspace must be built again. Sent by any process, including this one. */
  readonly reindex?: (workspace_id: string) => void
  /** Messages may have been missed: listening began, or began again. */
  readonly gap?: () => void
}

/**
 * Messages between the processes on one database. The growth of logs is sent once per flush, outside the writing
 * transaction; readers that miss it find the changes by polling.
 */
export class NodeBus extends Context.Service<
  NodeBus,
  {
    readonly notifyLog: (workspace_id: string, seq: number) => void
    readonly notifyWork: (queue: string) => void
    readonly subscribe: (subscriber: Subscriber) => Effect.Effect<void>
    /** Whether this process receives no messages, so that it must not rely on cached state. */
    readonly isCutOff: () => boolean
  }
>()("sheaf/database/NodeBus") {
  /**
   * Uses LISTEN and NOTIFY. A process that is `alone` on its database does not report logs and work, but still listens:
   * an operator's command may send messages.
   */
  static readonly layer = (options: { readonly alone: boolean }) =>
    Layer.effect(
      NodeBus,
      Effect.gen(function* () {
        const { write } = yield* Database
        const subscribers: Array<Subscriber> = []
        const pending = new Map<string, number>()
        const pendingWork = new Set<string>()
        const wake = yield* Queue.dropping<void>(1)
        const self = crypto.randomUUID()
        let receivedAt = -Infinity

        const dispatch = (payload: string) => {
          const [from, topic, ...items] = payload.split(" ")
          if (from === self) return
          for (const item of items) {
            const [name, part] = item.split(":")
            for (const subscriber of subscribers) {
              if (topic === "access") subscriber.access?.(name!)
              else if (topic === "work") subscriber.work?.(item)
              else if (topic === "reindex") subscriber.reindex?.(name!)
              else if (topic === "ended") subscriber.ended?.(name!, part!)
              else subscriber.log?.(name!, Number(part))
            }
          }
        }

        const listen = Effect.gen(function* () {
          const queue = yield* write.listen(notifyChannel)
          for (const subscriber of subscribers) subscriber.gap?.()
          while (true) {
            const { payload } = yield* Queue.take(queue)
            receivedAt = performance.now()
            dispatch(payload)
          }
        }).pipe(
          Effect.scoped,
          Effect.tapCause(() => Effect.sync(() => (receivedAt = -Infinity))),
          Effect.retry(Schedule.spaced("1 second"))
        )

        // Not flushed to disk: a crash of PostgreSQL, which loses messages, also ends all connections that listen.
        const notify = (payload: string) =>
          write.unsafe("SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)", [
            notifyChannel,
            payload
          ])

        const sendPending = Effect.gen(function* () {
          if (pendingWork.size > 0) {
            const queues = [...pendingWork]
            pendingWork.clear()
            yield* notify([self, "work", ...queues].join(" "))
          }
          while (pending.size > 0) {
            // A payload holds at most 8 000 bytes; an item takes about 40.
            const items = [...pending].slice(0, 150)
            for (const [workspace_id] of items) pending.delete(workspace_id)
            yield* notify([self, "log", ...items.map(([workspace_id, seq]) => `${workspace_id}:${seq}`)].join(" "))
          }
        }).pipe(
          // The hint is lost, not the change: readers poll.
          Effect.catchCause((cause) => Effect.logDebug("a message to other processes was not sent", cause))
        )
        const send = Effect.forever(Effect.andThen(Queue.take(wake), sendPending))

        const beating = notify(self).pipe(
          Effect.catchCause((cause) => Effect.logDebug("a heartbeat was not sent", cause)),
          Effect.repeat(Schedule.spaced(beat))
        )

        // Messages between processes use real time, even when the program runs on a test clock.
        const inRealTime = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
        yield* Effect.forkScoped(inRealTime(listen))
        yield* Effect.forkScoped(inRealTime(beating))
        yield* Effect.forkScoped(send)
        return NodeBus.of({
          notifyLog: (workspace_id, seq) => {
            if (options.alone) return
            pending.set(workspace_id, seq)
            Queue.offerUnsafe(wake, undefined)
          },
          notifyWork: (queue) => {
            if (options.alone) return
            pendingWork.add(queue)
            Queue.offerUnsafe(wake, undefined)
          },
          subscribe: (subscriber) => Effect.sync(() => void subscribers.push(subscriber)),
          isCutOff: () => performance.now() - receivedAt > cutOffAfter
        })
      })
    )
}
