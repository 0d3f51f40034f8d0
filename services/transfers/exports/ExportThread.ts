import { Effect, Result, type Scope } from "effect"
import type { Readable } from "node:stream"
import { MessageChannel } from "node:worker_threads"
import { startThread } from "../../concurrency/HeapLimit.ts"
import { workerModule } from "../../concurrency/WorkerModule.ts"
import type { Unavailable } from "../../Errors.ts"
import type { BlobMissing } from "../../files/Blobs.ts"
import { BlobDamaged } from "../../files/CheckedBlobs.ts"
import { FileFault, fromPort, sendAll } from "../PortStream.ts"
import type { FromThread, ThreadData } from "./ExportMessages.ts"

/** The thread holds names and a few megabytes of notes. */
const heap = { mostMegabytes: 256, youngMegabytes: 16 }

/**
 * Maximum milliseconds of an export, after which it is retried. Deleted files are collected an hour after their
 * deletion, so that an export has to end before. The main loop has the timer, because a thread without memory runs
 * none.
 */
const mostMillis = 50 * 60_000

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
    // Ports are sent through a port: under Deno, ports that are sent through the worker have no Node events.
    const control = new MessageChannel()
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

    const receive = (message: FromThread) => {
      if ("permille" in message) run(progress(message.permille))
      else if ("leftOut" in message) run(leftOut(message.leftOut))
      else if ("isLast" in message) control.port1.postMessage("received")
      else if ("file" in message) void sendFile(message.file, message.port)
      else if ("failed" in message) failure = message.failed
      else isNotebookGone = true
    }

    yield* Effect.acquireRelease(
      Effect.sync(() => {
        const worker = startThread(workerModule(import.meta.url, "ExportWorker"), heap, {
          workerData: { ...data, control: control.port2, pieces: pieces.port2 },
          transferList: [control.port2, pieces.port2]
        })
        control.port1.on("message", receive)
        worker.on("error", (error) => {
          failure = String(error)
        })
        const timer = setTimeout(() => {
          failure = "the export took too long"
          void worker.terminate()
        }, mostMillis)
        return { timer, worker }
      }),
      ({ timer, worker }) =>
        Effect.promise(() => {
          clearTimeout(timer)
          control.port1.close()
          pieces.port1.close()
          return worker.terminate()
        })
    )
    return { pieces: fromPort(pieces.port1), isNotebookGone: () => isNotebookGone, failure: () => failure }
  })
