import { Effect } from "effect"
import { startThread } from "../concurrency/HeapLimit.ts"
import { workerModule } from "../concurrency/WorkerModule.ts"
import { BackupFailed } from "./BackupFailure.ts"
import type { FromThread, Made, ThreadData, ToThread } from "./BackupMessages.ts"

/** Rows of some megabytes each, of which a page is in memory. */
const heap = { mostMegabytes: 1024, youngMegabytes: 32 }

/** Milliseconds in which a thread that is stopped removes what it has written. */
const mostEnding = 5_000

/** Makes a backup in a thread of its own. Returns undefined if another process makes it. */
export const makeBackup = (data: ThreadData): Effect.Effect<Made | undefined, BackupFailed> =>
  Effect.gen(function* () {
    const run = Effect.runForkWith(yield* Effect.context<never>())
    return yield* Effect.callback<Made | undefined, BackupFailed>((resume) => {
      const worker = startThread(workerModule(import.meta.url, "BackupWorker"), heap, { workerData: data })
      const ended = new Promise<void>((done) => worker.once("exit", () => done()))
      const fail = (message: string) => resume(Effect.fail(new BackupFailed({ message })))
      worker.on("message", (message: FromThread) => {
        if ("warning" in message) run(Effect.logWarning(message.warning))
        else if ("made" in message) resume(Effect.succeed(message.made))
        else if ("skipped" in message) resume(Effect.succeed(undefined))
        else fail(message.failed)
      })
      worker.on("error", (error) => fail(`The thread of the backup has ended: ${(error as Error).message}`))
      worker.on("exit", () => fail("The thread of the backup has ended"))
      return Effect.promise(async () => {
        worker.postMessage("stop" satisfies ToThread)
        const timer = setTimeout(() => void worker.terminate(), mostEnding)
        await ended
        clearTimeout(timer)
      })
    })
  })
