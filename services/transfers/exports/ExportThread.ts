import { Effect, Result, type Scope } from "effect"
import type { Readable } from "node:stream"
import { MessageChannel } from "node:worker_threads"
import { GuardedThread } from "../../concurrency/GuardedThread.ts"
import { workerModule } from "../../concurrency/WorkerModule.ts"
import type { Unavailable } from "../../Errors.ts"
import type { BlobMissing } from "../../files/Blobs.ts"
import { BlobDamaged } from "../../files/CheckedBlobs.ts"
import { FileFault, fromPort, sendAll } from "../PortStream.ts"
import type { FromThread, ThreadData } from "./ExportMessages.ts"

/** The thread holds names and a few megabytes of notes. */
const heap = { maxMegabytes: 256, youngMegabytes: 16 }

/**
 * Maximum milliseconds of an export, after which it is retried. Deleted files are collected an hour after their
 * deletion, so that an export has to end before. The main loop has the timer, because a thread without memory runs
 * none.
 */
const maxMillis = 50 * 60_000

interface Options {
  readonly data: ThreadData
  readonly progress: (permille: number) => Effect.Effect<void>
  /** Returns a file of the workspace. The caller reads it to its end or destroys it. */
  readonly file: (sha256: string) => Effect.Effect<Readable, BlobMissing | Unavailable>
  /** Called with the number of files that were omitted, because their bytes are missing or damaged. */
  readonly leftOut: (files: number) => Effect.Effect<void>
}

/** Starts a thread that makes one export. It ends when the scope closes. */
export const begin = ({
  data,
  file,
  leftOut,
  progress
}: Options): Effect.Effect<
  {
    /** The bytes of the ZIP. */
    readonly pieces: AsyncIterable<Uint8Array>
    readonly isNotebookGone: () => boolean
    /** The reason why `pieces` failed. */
    readonly failure: () => string
  },
  never,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const run = Effect.runForkWith(context)
    const runPromise = Effect.runPromiseWith(context)
    const entry = workerModule(import.meta.url, "ExportWorker")
    const pieces = new MessageChannel()
    let isNotebookGone = false
    let failure = "the thread of the export has ended"

    const sendFile = async (sha256: string, port: MessageChannel["port1"]) => {
      async function* content() {
        const readable = await runPromise(Effect.result(file(sha256)))
        if (Result.isFailure(readable)) {
          throw readable.failure._tag === "BlobMissing" ? new FileFault("missing") : new Error(readable.failure.detail)
        }
        try {
          yield* readable.success
        } catch (error) {
          throw error instanceof BlobDamaged ? new FileFault("damaged") : error
        }
      }
      await sendAll(port, content())
    }

    yield* Effect.acquireRelease(
      Effect.sync(() => {
        const thread = new GuardedThread<"received", FromThread>({
          entry,
          heap,
          data: { ...data, pieces: pieces.port2 },
          moved: [pieces.port2]
        })
        thread.onMessage = (message) => {
          if ("permille" in message) run(progress(message.permille))
          else if ("leftOut" in message) run(leftOut(message.leftOut))
          else if ("isLast" in message) thread.send("received")
          else if ("file" in message) void sendFile(message.file, message.port)
          else if ("failed" in message) failure = message.failed
          else isNotebookGone = true
        }
        thread.onEnd = (why) => {
          failure = why ?? failure
        }
        const timer = setTimeout(() => {
          failure = "the export took too long"
          void thread.end()
        }, maxMillis)
        return { thread, timer }
      }),
      ({ thread, timer }) =>
        Effect.promise(() => {
          clearTimeout(timer)
          pieces.port1.close()
          return thread.end()
        })
    )
    return { pieces: fromPort(pieces.port1), isNotebookGone: () => isNotebookGone, failure: () => failure }
  })
