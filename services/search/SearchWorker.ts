import { Cause, Context, Effect, Exit, type Fiber, Layer, Logger, ManagedRuntime, Option, References } from "effect"
import { isMainThread, type MessagePort, parentPort, workerData } from "node:worker_threads"
import { CooperativeScheduler } from "../concurrency/CooperativeScheduler.ts"
import { yieldToMainThread } from "../concurrency/WorkerModule.ts"
import { Unavailable } from "../Errors.ts"
import { Indexes } from "./Indexes.ts"
import { SearchDatabase } from "./SearchDatabase.ts"
import { Searches } from "./Searches.ts"
import * as SearchFolder from "./SearchFolder.ts"
import type { FromThread, ResultOf, Task, ThreadData, ToThread } from "./SearchMessages.ts"

const failureOf = (cause: Cause.Cause<unknown>) => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (!(error instanceof Unavailable)) return { defect: Cause.pretty(cause) }
  const { code, detail, retry_after } = error
  return { unavailable: { code, detail, retry_after } }
}

/** The main thread writes the log. */
const logTo = (port: MessagePort) =>
  Logger.layer([
    Logger.make<unknown, void>(({ cause, fiber, logLevel, message }) => {
      if (logLevel === "All" || logLevel === "None") return
      const annotations = {
        ...fiber.getRef(References.CurrentLogAnnotations),
        ...(cause.reasons.length > 0 ? { cause: Cause.pretty(cause) } : undefined)
      }
      port.postMessage({ log: { level: logLevel, message: String(message), annotations } } satisfies FromThread)
    })
  ])

/** Runs the tasks of the main thread (`SearchThread`), all at the same time. Without a database the thread ends. */
const serve = async (port: MessagePort, data: ThreadData): Promise<void> => {
  const runtime = ManagedRuntime.make(
    Searches.layer.pipe(
      Layer.provideMerge(Indexes.layer(data)),
      Layer.provideMerge(SearchFolder.layer(data)),
      Layer.provideMerge(Layer.mergeAll(CooperativeScheduler.layer, SearchDatabase.layer(data), logTo(port)))
    )
  )
  const running = new Map<number, Fiber.Fiber<ResultOf<Task>, Unavailable>>()
  const send = (message: FromThread): void => port.postMessage(message)

  const receive = (message: ToThread, context: Context.Context<Searches | Indexes>): void => {
    const searches = Context.get(context, Searches)
    const indexes = Context.get(context, Indexes)
    const fork = Effect.runForkWith(context)
    if ("cancel" in message) {
      running.get(message.cancel)?.interruptUnsafe()
      return
    }
    const { id, task } = message
    const fiber = fork<ResultOf<Task>, Unavailable>(
      task.kind === "search" ? searches.search(task) : searches.suggest(task)
    )
    running.set(id, fiber)
    fiber.addObserver((exit) => {
      running.delete(id)
      const held = indexes.held()
      send(Exit.isSuccess(exit) ? { id, result: exit.value, held } : { id, ...failureOf(exit.cause), held })
    })
  }

  const ready = runtime.context()
  // At once: Deno drops messages that come before there is a listener. When `ready` fails, the thread ends.
  port.on(
    "message",
    (message: ToThread) =>
      void ready.then(
        (context) => receive(message, context),
        () => {}
      )
  )
  await ready
}

if (!isMainThread && parentPort !== null) {
  yieldToMainThread()
  await serve(parentPort, workerData as ThreadData)
}
