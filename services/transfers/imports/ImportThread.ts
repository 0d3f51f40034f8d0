import { Effect, type Scope } from "effect"
import { MessageChannel, Worker } from "node:worker_threads"
import { workerModule } from "../../concurrency/WorkerModule.ts"
import * as Queue from "../../jobs/Queue.ts"
import type { Asked, ImportData, Said } from "./ImportMessages.ts"

/** The thread holds the paths and names in an archive, and a few megabytes of notes. */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 8 }

/** Maximum milliseconds for the next items. Less is needed even if a large archive is searched first. */
const mostMillis = 30 * 60_000

/** Returns the next items or a request for earlier notes; undefined after the last. */
type Next = (
  asked: Asked
) => Effect.Effect<Extract<Said, { readonly items: unknown } | { readonly earlier: unknown }> | undefined, Queue.Retry>

/** Starts a thread that reads the file of one import. It ends when the scope closes. */
export const begin = (data: ImportData): Effect.Effect<Next, never, Scope.Scope> =>
  Effect.gen(function* () {
    // Ports are sent through a port: under Deno, ports that are sent through the worker have no Node events.
    const { port1, port2 } = new MessageChannel()
    const worker = yield* Effect.acquireRelease(
      Effect.sync(
        () =>
          new Worker(workerModule(import.meta.url, "ImportWorker"), {
            workerData: { ...data, control: port2 },
            transferList: [port2],
            resourceLimits
          })
      ),
      (worker) =>
        Effect.promise(() => {
          port1.close()
          return worker.terminate()
        })
    )
    let failure: string | undefined
    let hear: ((said: Said) => void) | undefined
    const over = (why: string) => {
      failure ??= why
      hear?.({ failed: failure })
    }
    port1.on("message", (said: Said) => hear?.(said))
    worker.on("error", (error) => over(String(error)))
    worker.on("exit", () => over("the thread of the import has ended"))

    const answer = (asked: Asked) =>
      Effect.callback<Said>((resume) => {
        if (failure !== undefined) return resume(Effect.succeed({ failed: failure }))
        // The real time, not the clock of tests.
        const timer = setTimeout(() => over("reading took too long"), mostMillis)
        hear = (said) => {
          clearTimeout(timer)
          hear = undefined
          resume(Effect.succeed(said))
        }
        port1.postMessage(asked)
        return Effect.sync(() => {
          clearTimeout(timer)
          hear = undefined
        })
      })

    return (asked) =>
      Effect.flatMap(answer(asked), (said) =>
        "failed" in said
          ? Effect.fail(new Queue.Retry({ reason: said.failed }))
          : Effect.succeed("ended" in said ? undefined : said)
      )
  })
