import { isMainThread, type MessagePort, type Worker, workerData } from "node:worker_threads"
import type { FromGuard, ToGuard } from "./Guard.ts"
import { startThread } from "./HeapLimit.ts"
import { LimitedWorker } from "./LimitedWorker.ts"

/** Milliseconds after which a thread is terminated that was asked to end: it may be busy. */
const patience = 1_000

/** The thread that starts and watches other threads (`Guard`). */
const serve = (port: MessagePort) => {
  const workers = new Map<number, LimitedWorker<unknown, unknown>>()
  const threads = new Map<number, Worker>()
  const send = (message: FromGuard) => port.postMessage(message)

  const startOne = ({ entry, heap, moved, thread, workerData }: Extract<ToGuard, { moved: unknown }>) => {
    const started = startThread(new URL(entry), heap, { workerData, transferList: [...moved] })
    threads.set(thread, started)
    let failure: string | undefined
    started.on("error", (error) => {
      failure = error instanceof Error ? (error.stack ?? error.message) : String(error)
    })
    started.on("exit", () => {
      threads.delete(thread)
      send({ ended: thread, failure })
    })
  }

  const endOne = (thread: Worker): void => {
    thread.postMessage(null)
    const timer = setTimeout(() => void thread.terminate(), patience)
    thread.once("exit", () => clearTimeout(timer))
  }

  port.on("message", (message: ToGuard) => {
    if ("moved" in message) startOne(message)
    else if ("endThread" in message) {
      const thread = threads.get(message.endThread)
      if (thread !== undefined) endOne(thread)
    } else if ("endWorker" in message) {
      void workers.get(message.endWorker)?.end()
      workers.delete(message.endWorker)
    } else {
      const { bounds, entry, id, task, worker } = message
      const limited = workers.get(worker) ?? new LimitedWorker(new URL(entry), bounds)
      workers.set(worker, limited)
      void limited.run(task).then((made) => send({ id, made }))
    }
  })
}

if (!isMainThread) serve(workerData as MessagePort)
