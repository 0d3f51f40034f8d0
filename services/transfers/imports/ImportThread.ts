import { Effect, type Scope } from "effect"
import { MessageChannel, Worker } from "node:worker_threads"
import { workerModule } from "../../concurrency/WorkerModule.ts"
import * as Queue from "../../jobs/Queue.ts"
import type { Asked, ImportData, Said } from "./ImportMessages.ts"

/** It holds paths and names of what is in an archive, and a few megabytes of notes. */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 8 }

/** Reading some items takes less, also where all of a large archive is looked through first. */
const mostMillis = 30 * 60_000

/** Reads the next items, or asks for earlier notes; undefined behind the last. */
type Next = (
  asked: Asked
) => Effect.Effect<Extract<Said, { readonly items: unknown } | { readonly earlier: unknown }> | undefined, Queue.Retry>

/** A thread that reads the file of one import: it ends with its scope. */
export const begin = (data: ImportData): Effect.Effect<Next, never, Scope.Scope> =>
  Effect.gen(function* () {
    // Ports are sent by a port, and not by the worker: under Deno those that a worker sends have no events of Node's.
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
        // In the time of the machine: whatever a test does to its clock, this is no job of it.
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
