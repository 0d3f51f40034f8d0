import type { Worker } from "node:worker_threads"
import { startThread } from "./HeapLimit.ts"

/** Milliseconds of CPU time for a new worker to load its modules. */
const loading = 1_000
/** Milliseconds after which a kept worker without work ends, to free its memory. */
const idle = 10_000
/** Milliseconds after which a worker that does not report its CPU time is terminated. */
const silence = 60_000

/** The CPU time of a worker in milliseconds; 0 before it runs. */
const millisOf = (worker: Worker): Promise<number> =>
  worker.cpuUsage().then(
    ({ system, user }) => (system + user) / 1_000,
    () => 0
  )

export interface Bounds {
  /**
   * Maximum CPU time of a task, in milliseconds. Waiting for a busy machine does not count. The guard measures
   * it, because a parser cannot stop at a time limit itself.
   */
  readonly maxMillis: number
  /** Maximum size of the heap, as of `HeapLimit`. */
  readonly maxMegabytes: number
  /** Whether the worker waits a while for the next task, or ends after each task. */
  readonly isKept: boolean
}

/**
 * A thread in the guard that runs one task at a time. It starts with the first task. It is terminated when a task exceeds the
 * limit of CPU time or memory, and starts again with the next task.
 */
export class LimitedWorker<In, Out> {
  readonly #entry: URL
  readonly #bounds: Bounds
  #worker: Worker | undefined
  #idling: NodeJS.Timeout | undefined

  constructor(entry: URL, bounds: Bounds) {
    this.#entry = entry
    this.#bounds = bounds
  }

  /** Returns undefined when the task exceeds a limit or the worker fails. Never rejects. */
  run(task: In): Promise<Out | undefined> {
    const { isKept, maxMegabytes, maxMillis } = this.#bounds
    clearTimeout(this.#idling)
    return new Promise((resolve) => {
      // A new worker loads its modules first.
      const most = this.#worker === undefined ? maxMillis + loading : maxMillis
      const worker = (this.#worker ??= startThread(this.#entry, { maxMegabytes, youngMegabytes: 16 }))
      let isOver = false
      let timer: NodeJS.Timeout | undefined
      const done = (made: Out | null | undefined) => {
        if (isOver) return
        isOver = true
        clearTimeout(timer)
        worker.off("message", done)
        worker.off("error", end)
        worker.off("exit", end)
        worker.unref()
        if (isKept) this.#idling = setTimeout(() => this.#leave(worker), idle).unref()
        else this.#leave(worker)
        resolve(made ?? undefined)
      }
      const end = () => {
        this.#leave(worker)
        done(undefined)
      }
      const computed = (then: (millis: number) => void): void => {
        timer = setTimeout(end, silence)
        void millisOf(worker).then((millis) => {
          if (isOver) return
          clearTimeout(timer)
          then(millis)
        })
      }
      /** Terminates the worker when it has used too much CPU time. */
      const look = (before: number, left: number): void => {
        timer = setTimeout(
          () =>
            computed((now) => {
              if (now - before >= most) end()
              else look(before, Math.min(most, before + most - now))
            }),
          left
        )
      }
      computed((before) => look(before, most))
      worker.on("message", done)
      worker.on("error", end)
      worker.on("exit", end)
      worker.ref()
      worker.postMessage(task)
    })
  }

  /** Terminates a worker. The next task starts another one. */
  #leave(worker: Worker): void {
    if (this.#worker === worker) this.#worker = undefined
    // Later errors of this worker belong to no task.
    worker.on("error", () => {})
    void worker.terminate()
  }

  async end(): Promise<void> {
    clearTimeout(this.#idling)
    await this.#worker?.terminate()
  }
}
