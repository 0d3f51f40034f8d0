import { Array as Arr, Cause, Data, Deferred, Effect, Exit, type Fiber, Option, Queue, Schedule } from "effect"
import cluster, { type Worker } from "node:cluster"
import type { Handler, Question } from "../../../services/concurrency/ParentLink.ts"
import { Unavailable } from "../../../services/Errors.ts"
import { startVariable, type ToParent, type ToWorker, type WorkerStart } from "./WorkerMessages.ts"

/** The first worker has ended before it served. It has logged why. */
export class WorkersFailed extends Data.TaggedError("WorkersFailed")<{ readonly message: string }> {}

/** A worker process. */
interface Running {
  readonly process: Worker
  /** Completed when it serves, or has ended before: then with `false`. */
  readonly ready: Deferred.Deferred<boolean>
  readonly ended: Deferred.Deferred<string>
}

/** Asks all workers, and returns the responses of those that respond in time. */
export type AskAll = (question: Question) => Effect.Effect<ReadonlyArray<readonly [worker: number, value: unknown]>>

/** Milliseconds in which a worker responds to a question. */
const responseTimeout = 2_000

/** Milliseconds for which a worker that is replaced has its clients connect again. */
const retirement = 1_000

interface Options {
  readonly count: number
  readonly start: Omit<WorkerStart, "isFirst">
  /** Milliseconds after SIGTERM until a worker that still runs is killed. */
  readonly patience: number
  readonly handlers: (askAll: AskAll) => Readonly<Record<string, Handler>>
  /** Runs before a worker is replaced. */
  readonly onReplace: (askAll: AskAll) => Effect.Effect<unknown>
  /** Called when a worker has ended. */
  readonly onEnd: (worker: number) => void
}

/**
 * Closes the connection that a worker was given last if the worker is killed before it takes it. Node keeps such a
 * connection open, so its client would wait for ever.
 */
const closeLost = (worker: Worker): void => {
  let last: { readonly close: () => void } | undefined
  worker.process.send = new Proxy(worker.process.send, {
    apply: (send, self, args) => {
      last = args[1] ?? last
      return Reflect.apply(send, self, args)
    }
  })
  // A worker that ends by itself has taken it, or given it back.
  worker.once("exit", (code) => code !== 0 && last?.close())
}

/**
 * Runs the workers of a server on one port until the scope closes, and replaces each that ends. SIGHUP replaces them in turn:
 * a worker ends when its successor serves. Fails if the first worker cannot start; its log says why.
 */
export const run = Effect.fnUntraced(function* ({ count, handlers, onEnd, onReplace, patience, start }: Options) {
  // From the beginning: a SIGHUP that nothing receives ends the process.
  const hangUps = yield* Queue.sliding<void>(1)
  const hangUp = () => void Queue.offerUnsafe(hangUps, undefined)
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("SIGHUP", hangUp)),
    () => Effect.sync(() => process.off("SIGHUP", hangUp))
  )

  cluster.setupPrimary({ serialization: "advanced" })
  const runFork = Effect.runForkWith(yield* Effect.context<never>())

  const questions = new Map<number, (value: unknown) => void>()
  let lastQuestion = 0
  const askOne = ({ process }: Running, question: Question) =>
    Effect.callback<unknown>((resume) => {
      const asked = ++lastQuestion
      questions.set(asked, (value) => {
        questions.delete(asked)
        resume(Effect.succeed(value))
      })
      if (process.isConnected()) process.send({ asked, question } satisfies ToWorker)
      return Effect.sync(() => questions.delete(asked))
    }).pipe(Effect.timeoutOption(responseTimeout))
  const all = new Set<Running>()
  const askAll: AskAll = (question) =>
    Effect.map(
      Effect.forEach(
        [...all],
        (running) =>
          Effect.map(
            askOne(running, question),
            Option.map((value) => [running.process.id, value] as const)
          ),
        { concurrency: "unbounded" }
      ),
      Arr.getSomes
    )
  const handling = handlers(askAll)

  const served = (worker: Worker) => {
    const fibers = new Map<number, Fiber.Fiber<unknown, Unavailable>>()
    const respond = (response: ToWorker) => void (worker.isConnected() && worker.send(response))
    worker.on("message", (message: ToParent) => {
      if ("cancel" in message) return void fibers.get(message.cancel)?.interruptUnsafe()
      if ("responded" in message) return void questions.get(message.responded)?.(message.value)
      if ("ready" in message) return
      const { id, input, kind } = message
      const fiber = runFork(Effect.suspend(() => handling[kind]!(input, worker.id)))
      fibers.set(id, fiber)
      fiber.addObserver((exit) => {
        fibers.delete(id)
        if (Exit.isSuccess(exit)) return respond({ id, value: exit.value })
        if (Cause.hasInterruptsOnly(exit.cause)) return
        const error = Option.getOrUndefined(Exit.findErrorOption(exit))
        if (error instanceof Unavailable) {
          const { code, detail, retry_after } = error
          return respond({ id, unavailable: { code, detail, retry_after } })
        }
        respond({ id, defect: Cause.pretty(exit.cause) })
      })
    })
    worker.once("exit", () => {
      for (const fiber of fibers.values()) fiber.interruptUnsafe()
      onEnd(worker.id)
    })
  }

  const fork = Effect.fnUntraced(function* (isFirst: boolean) {
    const [ready, ended] = [yield* Deferred.make<boolean>(), yield* Deferred.make<string>()]
    const own: WorkerStart = { ...start, isFirst }
    const worker = cluster.fork({ [startVariable]: JSON.stringify(own) })
    const running: Running = { process: worker, ready, ended }
    all.add(running)
    const end = (how: string) => {
      all.delete(running)
      Deferred.doneUnsafe(ready, Effect.succeed(false))
      Deferred.doneUnsafe(ended, Effect.succeed(how))
    }
    served(worker)
    closeLost(worker)
    worker.on("message", (message: ToParent) => "ready" in message && Deferred.doneUnsafe(ready, Effect.succeed(true)))
    worker.once("exit", (code, signal) => end(signal ?? `exit code ${code}`))
    // It could not be started; or it is being killed and receives nothing any more, and `exit` follows.
    worker.on("error", (error) => worker.process.pid === undefined && end(error.message))
    return running
  })

  /** Has a worker finish its requests, and waits until it has ended. */
  const stop = ({ ended, process }: Running) =>
    Effect.sync(() => void process.process.kill("SIGTERM")).pipe(
      Effect.andThen(Deferred.await(ended)),
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () =>
          Effect.sync(() => void process.process.kill("SIGKILL")).pipe(Effect.andThen(Deferred.await(ended)))
      })
    )

  yield* Effect.addFinalizer(() => Effect.forEach([...all], stop, { concurrency: "unbounded", discard: true }))

  /** Starts a worker. Returns whether it serves, else it has ended. */
  const begin = Effect.fnUntraced(function* (isFirst: boolean) {
    const running = yield* fork(isFirst)
    const isReady = yield* Deferred.await(running.ready)
    if (isReady) yield* Effect.annotateLogs(Effect.logInfo("a worker serves"), { pid: running.process.process.pid })
    return { running, isReady }
  })

  /** Keeps one worker running. A message in `turns` has it replaced, and is completed after that. */
  const keep = Effect.fnUntraced(function* (from: Running, turns: Queue.Queue<Deferred.Deferred<void>>) {
    let running = from
    while (true) {
      const turn = yield* Effect.raceFirst(Queue.take(turns), Deferred.await(running.ended))
      if (typeof turn === "string") {
        const { pid } = running.process.process
        yield* Effect.annotateLogs(Effect.logWarning(`a worker ended unexpectedly (${turn}): starting another`), {
          pid
        })
        running = yield* began
        continue
      }
      const next = yield* begin(false)
      if (next.isReady) {
        yield* askOne(running, "retire")
        yield* onReplace(askAll)
        yield* Effect.sleep(retirement)
        yield* stop(running)
        running = next.running
      } else yield* Effect.logError("the successor of a worker could not start: the worker stays")
      Deferred.doneUnsafe(turn, Effect.void)
    }
  })

  /** Starts a worker, and tries again until it serves. */
  const began: Effect.Effect<Running> = Effect.suspend(() => begin(false)).pipe(
    Effect.flatMap(({ isReady, running }) => (isReady ? Effect.succeed(running) : Effect.fail("ended" as const))),
    Effect.retry(Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])),
    Effect.orDie
  )

  const first = yield* begin(true)
  if (!first.isReady) return yield* new WorkersFailed({ message: "The first worker could not start" })
  const slots: Array<Queue.Queue<Deferred.Deferred<void>>> = []
  const slot = Effect.fnUntraced(function* (running: Running) {
    const turns = yield* Queue.bounded<Deferred.Deferred<void>>(1)
    slots.push(turns)
    yield* Effect.forkScoped(keep(running, turns))
  })
  yield* slot(first.running)
  const others = yield* Effect.all(
    Array.from({ length: count - 1 }, () => began),
    { concurrency: "unbounded" }
  )
  for (const running of others) yield* slot(running)

  const replaceAll = Effect.gen(function* () {
    yield* Effect.logInfo("replacing the workers in turn")
    for (const turns of slots) {
      const turn = yield* Deferred.make<void>()
      yield* Queue.offer(turns, turn)
      yield* Deferred.await(turn)
    }
    yield* Effect.logInfo("the workers are replaced")
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(hangUps), replaceAll)))
  return yield* Effect.never
})
