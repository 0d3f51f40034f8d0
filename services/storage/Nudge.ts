import { Clock, Context, Duration, Effect, Layer, Queue, Schedule } from "effect"
import { Database } from "./Database.ts"

/** `log`: a workspace's log has reached this seq. `access`: who may do what in it has changed. */
export type Topic = "log" | "access"

/** By workspace, the seq that it has reached. Only a hint: it may be late, double or lost. */
export type News = ReadonlyMap<string, number>

/** Each process says that it is there so often; who hears nobody, not even itself, for so long, cannot hear. */
const beat = Duration.millis(500)
const deafAfter = 2_000

/**
 * Tells the other processes on the same database what has changed. One message a flush, outside the writing transaction;
 * readers that miss it find out by their own look.
 */
export class Nudge extends Context.Service<Nudge, {
  readonly tell: (topic: Topic, workspace_id: string, seq: number) => void
  /** Called with what others tell. */
  readonly hear: (listener: (topic: Topic, news: News) => void) => Effect.Effect<void>
  /** Whether news cannot be heard, so that nothing known may be relied on. */
  readonly isDeaf: () => boolean
}>()("sheaf/storage/Nudge") {
  /** By LISTEN and NOTIFY. Who is `alone` on its database tells nobody, yet hears an operator's command. */
  static readonly layer = (options: { readonly alone: boolean }) =>
    Layer.effect(
      Nudge,
      Effect.gen(function*() {
        const { write } = yield* Database
        const listeners: Array<(topic: Topic, news: News) => void> = []
        const pending: Readonly<Record<Topic, Map<string, number>>> = { log: new Map(), access: new Map() }
        const wake = yield* Queue.dropping<void>(1)
        const self = crypto.randomUUID()
        let heardAt = -Infinity

        const listen = Effect.gen(function*() {
          const queue = yield* write.listen("sheaf")
          while (true) {
            const { payload } = yield* Queue.take(queue)
            heardAt = performance.now()
            const [from, topic, ...items] = payload.split(" ")
            if (from === self || topic !== "log" && topic !== "access") continue
            const news = new Map<string, number>()
            for (const item of items) {
              const [workspace_id, seq] = item.split(":")
              if (workspace_id !== undefined && seq !== undefined) news.set(workspace_id, Number(seq))
            }
            for (const listener of listeners) listener(topic, news)
          }
        }).pipe(Effect.scoped, Effect.retry(Schedule.spaced("1 second")))

        // Not worth a flush to disk: what is lost in a crash concerns nobody who is still listening.
        const notify = (payload: string) =>
          write.unsafe("SELECT set_config('synchronous_commit', 'off', true), pg_notify('sheaf', $1)", [payload])

        const sendAll = Effect.fnUntraced(function*(topic: Topic) {
          const waiting = pending[topic]
          while (waiting.size > 0) {
            // A payload holds at most 8 000 bytes; an item takes some 40.
            const items = [...waiting].slice(0, 150)
            for (const [workspace_id] of items) waiting.delete(workspace_id)
            yield* Effect.onInterrupt(
              notify([self, topic, ...items.map(([workspace_id, seq]) => `${workspace_id}:${seq}`)].join(" ")),
              () => Effect.sync(() => {
                for (const [workspace_id, seq] of items) if (!waiting.has(workspace_id)) waiting.set(workspace_id, seq)
              })
            )
          }
        })

        // Who may do what comes first.
        const sendPending = Effect.andThen(sendAll("access"), sendAll("log")).pipe(
          // The hint is lost, not the change: readers look for themselves.
          Effect.catchCause((cause) => Effect.logDebug("a nudge was not sent", cause))
        )
        const send = Effect.forever(Effect.andThen(Queue.take(wake), sendPending))

        const beating = notify(self).pipe(
          Effect.catchCause((cause) => Effect.logDebug("no sign of life was sent", cause)),
          Effect.repeat(Schedule.spaced(beat))
        )

        // Between processes time is real, also when the program around them runs on a test's clock.
        const inRealTime = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
        // A command ends as soon as its change is stored: what it has to tell is still told then.
        yield* Effect.addFinalizer(() =>
          inRealTime(Effect.ignore(Effect.timeout(Effect.interruptible(sendPending), deafAfter))))
        yield* Effect.forkScoped(inRealTime(listen))
        yield* Effect.forkScoped(inRealTime(beating))
        yield* Effect.forkScoped(send)
        return Nudge.of({
          tell: (topic, workspace_id, seq) => {
            if (options.alone) return
            pending[topic].set(workspace_id, seq)
            Queue.offerUnsafe(wake, undefined)
          },
          hear: (listener) => Effect.sync(() => void listeners.push(listener)),
          isDeaf: () => performance.now() - heardAt > deafAfter
        })
      })
    )
}
