import { Cause, Effect, Exit, Fiber, Layer, ManagedRuntime, Option } from "effect"
import { isMainThread, parentPort, workerData } from "node:worker_threads"
import { yieldToMainThread } from "../concurrency/WorkerModule.ts"
import { CooperativeScheduler } from "../concurrency/CooperativeScheduler.ts"
import { Unavailable } from "../Errors.ts"
import { Indexes } from "./Indexes.ts"
import { SearchDatabase } from "./SearchDatabase.ts"
import { Searches } from "./Searches.ts"
import { Snapshots } from "./Snapshots.ts"
import type { Answer, Answered, Asked, ThreadData, Told } from "./SearchMessages.ts"

/** The thread of the search: it answers what the main loop asks (`SearchThread`). */
const serve = (port: NonNullable<typeof parentPort>, data: ThreadData): void => {
  const tell = (answered: Answered, moved: ReadonlyArray<ArrayBuffer> = []): void => port.postMessage(answered, moved)
  const runtime = ManagedRuntime.make(
    Searches.layer.pipe(
      Layer.provideMerge(
        Indexes.layer({
          dropped: (dropped, held) => tell({ dropped, held }),
          heard: (bytes) => void Atomics.sub(data.unheard, 0, bytes)
        })
      ),
      Layer.provideMerge(Snapshots.layer),
      Layer.provideMerge(Layer.merge(CooperativeScheduler.layer, SearchDatabase.layer(data)))
    )
  )
  // The connections are there when the first search comes.
  runtime.runFork(Effect.void)
  /** A row and no map: V8 copies a map that is filled and emptied all the time, and the old copies hold what was in them. */
  const running: Array<{ readonly id: number; readonly fiber: Fiber.Fiber<unknown, unknown> }> = []

  const answerTo = (asked: Asked) =>
    Effect.flatMap(Searches, (searches): Effect.Effect<Answer<Asked>, Unavailable> =>
      asked.kind === "search" ? searches.search(asked) : searches.suggest(asked)
    )

  /** Memory that is not copied for the main loop. */
  const movedWith = (answer: Answer<Asked>) => ("hits" in answer ? [answer.hits.buffer] : [])

  const failureOf = (cause: Cause.Cause<unknown>) => {
    const error = Option.getOrUndefined(Cause.findErrorOption(cause))
    return error instanceof Unavailable
      ? {
          unavailable: {
            code: error.code === "overloaded" ? ("overloaded" as const) : ("service_unavailable" as const),
            detail: error.detail ?? "",
            retry_after: error.retry_after
          }
        }
      : { defect: Cause.pretty(cause) }
  }

  port.on("message", (told: Told) => {
    if ("cancel" in told) {
      running.find(({ id }) => id === told.cancel)?.fiber.interruptUnsafe()
      return
    }
    if ("coming" in told || "grown" in told) {
      runtime.runFork(Effect.flatMap(Indexes, (indexes) => indexes.hear(told)))
      return
    }
    const { asked, id } = told
    const fiber = runtime.runFork(
      Effect.flatMap(Indexes, (indexes) => Effect.map(answerTo(asked), (answer) => ({ answer, held: indexes.held() })))
    )
    running.push({ id, fiber })
    fiber.addObserver((exit) => {
      running.splice(
        running.findIndex((each) => each.id === id),
        1
      )
      if (Exit.isSuccess(exit)) tell({ id, ...exit.value }, movedWith(exit.value.answer))
      else tell({ id, ...failureOf(exit.cause) })
    })
  })
}

if (!isMainThread && parentPort !== null) {
  yieldToMainThread()
  serve(parentPort, workerData as ThreadData)
}
