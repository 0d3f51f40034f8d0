import { Effect, type Scope } from "effect"
import { GuardedThread } from "../../concurrency/GuardedThread.ts"
import { workerModule } from "../../concurrency/WorkerModule.ts"
import * as Queue from "../../jobs/Queue.ts"
import type { ImportData, Reply, Request } from "./ImportMessages.ts"

/** The thread holds the paths and names in an archive, and a few megabytes of notes. */
const heap = { maxMegabytes: 512, youngMegabytes: 8 }

/** Maximum milliseconds for the next items. Less is needed even if a large archive is searched first. */
const maxMillis = 30 * 60_000

/** Returns the next items or a request for earlier notes; undefined after the last. */
type Next = (
  request: Request
) => Effect.Effect<Extract<Reply, { readonly items: unknown } | { readonly earlier: unknown }> | undefined, Queue.Retry>

/** Starts a thread that reads the file of one import. It ends when the scope closes. */
export const begin = (data: ImportData): Effect.Effect<Next, never, Scope.Scope> =>
  Effect.gen(function* () {
    const entry = workerModule(import.meta.url, "ImportWorker")
    const thread = yield* Effect.acquireRelease(
      Effect.sync(() => new GuardedThread<Request, Reply>({ entry, heap, data })),
      (started) => Effect.promise(() => started.end())
    )
    let failure: string | undefined
    let receive: ((reply: Reply) => void) | undefined
    const over = (why: string) => {
      failure ??= why
      receive?.({ failed: failure })
    }
    thread.onMessage = (reply) => receive?.(reply)
    thread.onEnd = (why) => over(why ?? "the thread of the import has ended")

    const exchange = (request: Request) =>
      Effect.callback<Reply>((resume) => {
        if (failure !== undefined) return resume(Effect.succeed({ failed: failure }))
        // The real time, not the clock of tests.
        const timer = setTimeout(() => over("reading took too long"), maxMillis)
        receive = (reply) => {
          clearTimeout(timer)
          receive = undefined
          resume(Effect.succeed(reply))
        }
        thread.send(request)
        return Effect.sync(() => {
          clearTimeout(timer)
          receive = undefined
        })
      })

    return (request) =>
      Effect.flatMap(exchange(request), (reply) =>
        "failed" in reply
          ? Effect.fail(new Queue.Retry({ reason: reply.failed }))
          : Effect.succeed("ended" in reply ? undefined : reply)
      )
  })
