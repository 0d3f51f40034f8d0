import { Worker } from "node:worker_threads"
import type { Bounds } from "./LimitedWorker.ts"
import { workerModule } from "./WorkerModule.ts"

/** Milliseconds after which the guard without work ends, to free its memory and that of its workers. */
const idle = 20_000

/** A task for a worker, which the guard starts if it is new. */
export interface GuardedTask {
  readonly id: number
  /** The number of the worker. */
  readonly worker: number
  readonly entry: string
  readonly bounds: Bounds
  readonly task: unknown
}

/** To the guard: a task, or the number of a worker to end. */
export type ToGuard = GuardedTask | { readonly end: number }

export interface FromGuard {
  readonly id: number
  readonly made: unknown
}

/** The guard of this thread, and the tasks that it has. */
const running = new Map<number, (made: unknown) => void>()
let guard: Worker | undefined
let idling: NodeJS.Timeout | undefined
let tasks = 0
let workers = 0

const start = (): Worker => {
  const worker = new Worker(workerModule(import.meta.url, "GuardWorker"))
  const end = () => {
    if (guard !== worker) return
    guard = undefined
    for (const resolve of running.values()) resolve(undefined)
    running.clear()
  }
  worker.on("message", ({ id, made }: FromGuard) => {
    running.get(id)?.(made)
    running.delete(id)
    if (running.size > 0) return
    worker.unref()
    idling = setTimeout(() => {
      end()
      void worker.terminate()
    }, idle).unref()
  })
  worker.on("error", end)
  worker.on("exit", end)
  return worker
}

/**
 * A `LimitedWorker` in a thread that does nothing but watch such workers: a busy main thread would look too late at
 * their heaps, and V8 ends the whole process when a heap grows too far. All of them share that thread.
 */
export class GuardedWorker<In, Out> {
  private readonly number = workers++
  private readonly entry: string
  private readonly bounds: Bounds

  constructor(entry: URL, bounds: Bounds) {
    this.entry = entry.href
    this.bounds = bounds
  }

  /** Returns undefined when the task exceeds a limit or the worker fails. Never rejects. */
  run(task: In): Promise<Out | undefined> {
    clearTimeout(idling)
    guard ??= start()
    guard.ref()
    const id = tasks++
    const made = new Promise<unknown>((resolve) => running.set(id, resolve))
    this.send(guard, { id, worker: this.number, entry: this.entry, bounds: this.bounds, task })
    return made as Promise<Out | undefined>
  }

  /** Ends the worker. A task that it still runs has no result. */
  async end(): Promise<void> {
    if (guard !== undefined) this.send(guard, { end: this.number })
  }

  private send(to: Worker, message: ToGuard): void {
    to.postMessage(message)
  }
}
