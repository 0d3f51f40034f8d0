import { Effect } from "effect"
import { GuardedThread } from "../concurrency/GuardedThread.ts"
import { workerModule } from "../concurrency/WorkerModule.ts"
import { BackupFailed } from "./BackupFailure.ts"
import type { FromThread, Made, ThreadData, ToThread } from "./BackupMessages.ts"

/** Rows of some megabytes each, of which a page is in memory. */
const heap = { maxMegabytes: 1024, youngMegabytes: 32 }

/** Milliseconds in which a thread that is stopped removes what it has written. */
const maxEnding = 5_000

const endedEarly = "The thread has ended"

/** Makes a backup or a drill in a thread of its own. Returns undefined if another process does it. */
export const runThread = (data: ThreadData): Effect.Effect<Made | undefined, BackupFailed> =>
  Effect.gen(function* () {
    const run = Effect.runForkWith(yield* Effect.context<never>())
    return yield* Effect.callback<Made | undefined, BackupFailed>((resume) => {
      const entry = workerModule(import.meta.url, "BackupWorker")
      const thread = new GuardedThread<ToThread, FromThread>({ entry, heap, data })
      const ended = Promise.withResolvers<void>()
      const fail = (message: string) => resume(Effect.fail(new BackupFailed({ message })))
      thread.onMessage = (message) => {
        if ("warning" in message) run(Effect.logWarning(message.warning))
        else if ("made" in message) resume(Effect.succeed(message.made))
        else if ("skipped" in message) resume(Effect.succeed(undefined))
        else fail(message.failed)
      }
      thread.onEnd = (failure) => {
        fail(failure === undefined ? endedEarly : `${endedEarly}: ${failure}`)
        ended.resolve()
      }
      return Effect.promise(async () => {
        thread.send("stop")
        const timer = setTimeout(() => void thread.end(), maxEnding)
        await ended.promise
        clearTimeout(timer)
      })
    })
  })
