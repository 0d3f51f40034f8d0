import { Context, Effect, Layer, Queue, Schedule } from "effect"
import { Database } from "./Database.ts"

/** News of a workspace's log: it has reached `seq`. Only a hint: it may be late, double or lost. */
export type News = ReadonlyMap<string, number>

/**
 * Tells the other processes on the same database which logs have grown. One message a flush, outside the writing
 * transaction; readers that miss it find out by their own look at the log.
 */
export class Nudge extends Context.Service<Nudge, {
  readonly tell: (workspace_id: string, seq: number) => void
  /** Called with what others tell. */
  readonly hear: (listener: (news: News) => void) => Effect.Effect<void>
}>()("sheaf/storage/Nudge") {
  /** For the only process on its database. */
  static readonly layerAlone = Layer.succeed(Nudge, Nudge.of({ tell: () => {}, hear: () => Effect.void }))

  /** By NOTIFY, for several processes on one PostgreSQL. */
  static readonly layerPostgres = Layer.effect(
    Nudge,
    Effect.gen(function*() {
      const { write } = yield* Database
      const listeners: Array<(news: News) => void> = []
      const pending = new Map<string, number>()
      const wake = yield* Queue.dropping<void>(1)
      const self = crypto.randomUUID()

      const listen = Effect.gen(function*() {
        const queue = yield* write.listen("sheaf")
        while (true) {
          const { payload } = yield* Queue.take(queue)
          const [from, ...items] = payload.split(" ")
          if (from === self) continue
          const news = new Map<string, number>()
          for (const item of items) {
            const [workspace_id, seq] = item.split(":")
            if (workspace_id !== undefined && seq !== undefined) news.set(workspace_id, Number(seq))
          }
          for (const listener of listeners) listener(news)
        }
      }).pipe(Effect.scoped, Effect.retry(Schedule.spaced("1 second")))

      const send = Effect.gen(function*() {
        yield* Queue.take(wake)
        while (pending.size > 0) {
          // A payload holds at most 8 000 bytes; an item takes some 40.
          const items = [...pending].slice(0, 150)
          for (const [workspace_id] of items) pending.delete(workspace_id)
          const payload = [self, ...items.map(([workspace_id, seq]) => `${workspace_id}:${seq}`)].join(" ")
          // Not worth a flush to disk: what is lost in a crash concerns nobody who is still listening.
          yield* write.unsafe("SELECT set_config('synchronous_commit', 'off', true), pg_notify('sheaf', $1)", [payload])
        }
      }).pipe(
        // The hint is lost, not the change: readers look for themselves.
        Effect.catchCause((cause) => Effect.logDebug("a nudge was not sent", cause)),
        Effect.forever
      )

      yield* Effect.forkScoped(listen)
      yield* Effect.forkScoped(send)
      return Nudge.of({
        tell: (workspace_id, seq) => {
          pending.set(workspace_id, seq)
          Queue.offerUnsafe(wake, undefined)
        },
        hear: (listener) => Effect.sync(() => void listeners.push(listener))
      })
    })
  )
}
