import { Clock, Context, Duration, Effect, Layer, Queue, Schedule } from "effect"
import { Database } from "./Database.ts"

/**
 * PostgreSQL's channel. A message: who says it, and what: `log` or `access` and then workspaces, each with the seq that it
 * has reached, or `work` and then queues.
 */
export const newsChannel = "sheaf"

/** Each process says that it is there so often; who hears nobody, not even itself, for so long, cannot hear. */
const beat = Duration.millis(500)
const deafAfter = 2_000

/** What others have done. Only a hint where it is about the log: it may be late, double or lost. */
export interface Hearer {
  /** The log of a workspace has reached a seq. */
  readonly log?: (workspace_id: string, seq: number) => void
  /** Who may do what in a workspace has changed. It is said in the commit of the change, by any process, also by this one. */
  readonly access?: (workspace_id: string) => void
  /** A queue has more to do than the process that says so has room for. */
  readonly work?: (queue: string) => void
  /** Something may have been missed: listening began, or began anew. */
  readonly gap?: () => void
}

/**
 * What the processes on one database tell each other. How far logs have grown is said once a flush, outside the writing
 * transaction; readers that miss it find out by their own look.
 */
export class NodeBus extends Context.Service<
  NodeBus,
  {
    readonly tell: (workspace_id: string, seq: number) => void
    readonly tellWork: (queue: string) => void
    readonly hear: (hearer: Hearer) => Effect.Effect<void>
    /** Whether news cannot be heard, so that nothing known may be relied on. */
    readonly isDeaf: () => boolean
  }
>()("sheaf/database/NodeBus") {
  /** By LISTEN and NOTIFY. Who is `alone` on its database tells nobody, yet hears an operator's command. */
  static readonly layer = (options: { readonly alone: boolean }) =>
    Layer.effect(
      NodeBus,
      Effect.gen(function* () {
        const { write } = yield* Database
        const hearers: Array<Hearer> = []
        const pending = new Map<string, number>()
        const pendingWork = new Set<string>()
        const wake = yield* Queue.dropping<void>(1)
        const self = crypto.randomUUID()
        let heardAt = -Infinity

        const hearEach = (payload: string) => {
          const [from, topic, ...items] = payload.split(" ")
          if (from === self) return
          for (const item of items) {
            const [workspace_id, seq] = item.split(":")
            for (const hearer of hearers) {
              if (topic === "access") hearer.access?.(workspace_id!)
              else if (topic === "work") hearer.work?.(item)
              else hearer.log?.(workspace_id!, Number(seq))
            }
          }
        }

        const listen = Effect.gen(function* () {
          const queue = yield* write.listen(newsChannel)
          for (const hearer of hearers) hearer.gap?.()
          while (true) {
            const { payload } = yield* Queue.take(queue)
            heardAt = performance.now()
            hearEach(payload)
          }
        }).pipe(
          Effect.scoped,
          Effect.tapCause(() => Effect.sync(() => (heardAt = -Infinity))),
          Effect.retry(Schedule.spaced("1 second"))
        )

        // Not worth a flush to disk: what is lost in a crash concerns nobody who is still listening.
        const notify = (payload: string) =>
          write.unsafe("SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)", [
            newsChannel,
            payload
          ])

        const sendPending = Effect.gen(function* () {
          if (pendingWork.size > 0) {
            const queues = [...pendingWork]
            pendingWork.clear()
            yield* notify([self, "work", ...queues].join(" "))
          }
          while (pending.size > 0) {
            // A payload holds at most 8 000 bytes; an item takes some 40.
            const items = [...pending].slice(0, 150)
            for (const [workspace_id] of items) pending.delete(workspace_id)
            yield* notify([self, "log", ...items.map(([workspace_id, seq]) => `${workspace_id}:${seq}`)].join(" "))
          }
        }).pipe(
          // The hint is lost, not the change: readers look for themselves.
          Effect.catchCause((cause) => Effect.logDebug("a bus was not sent", cause))
        )
        const send = Effect.forever(Effect.andThen(Queue.take(wake), sendPending))

        const beating = notify(self).pipe(
          Effect.catchCause((cause) => Effect.logDebug("no sign of life was sent", cause)),
          Effect.repeat(Schedule.spaced(beat))
        )

        // Between processes time is real, also when the program around them runs on a test's clock.
        const inRealTime = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
        yield* Effect.forkScoped(inRealTime(listen))
        yield* Effect.forkScoped(inRealTime(beating))
        yield* Effect.forkScoped(send)
        return NodeBus.of({
          tell: (workspace_id, seq) => {
            if (options.alone) return
            pending.set(workspace_id, seq)
            Queue.offerUnsafe(wake, undefined)
          },
          tellWork: (queue) => {
            if (options.alone) return
            pendingWork.add(queue)
            Queue.offerUnsafe(wake, undefined)
          },
          hear: (hearer) => Effect.sync(() => void hearers.push(hearer)),
          isDeaf: () => performance.now() - heardAt > deafAfter
        })
      })
    )
}
