import { Worker, type WorkerOptions } from "node:worker_threads"

/**
 * The limit of V8 for the heap of each thread, in megabytes; `--max-old-space-size` replaces it. V8 aborts the process,
 * not only the thread, when one allocation exceeds this limit by more than 16 MB, such as that of an array which grows.
 * So this limit is far above the limits of threads, which the guard watches (`Guard`).
 */
const beyond = 2_000
/** Milliseconds between two looks at the heap of a thread, which may exceed its limit meanwhile. */
const interval = 100

export interface HeapLimit {
  /** Maximum size of the heap, with what the garbage collector has not freed yet. A thread beyond it is terminated. */
  readonly maxMegabytes: number
  /** Maximum size of the young generation. More of it takes less processor time, and more memory. */
  readonly youngMegabytes: number
}

/** Terminates the worker when its heap exceeds the limit. Deno has no such figure, and limits time alone. */
const watch = (worker: Worker, most: number): void => {
  if (!("getHeapStatistics" in worker)) return
  const look = () =>
    // Rejects before the worker runs.
    worker.getHeapStatistics().then(
      ({ used_heap_size }) => used_heap_size > most * 1024 * 1024,
      () => false
    )
  const timer = setTimeout(
    () =>
      void look().then((isOver) => {
        if (isOver) void worker.terminate()
        else timer.refresh()
      }),
    interval
  )
  timer.unref()
  worker.once("exit", () => clearTimeout(timer))
}

/** Starts a thread in the guard. It emits `exit` when it has been terminated because of its limit. */
export const startThread = (
  entry: URL,
  { maxMegabytes, youngMegabytes }: HeapLimit,
  options: Pick<WorkerOptions, "workerData" | "transferList"> = {}
): Worker => {
  const resourceLimits = { maxOldGenerationSizeMb: beyond, maxYoungGenerationSizeMb: youngMegabytes }
  const worker = new Worker(entry, { ...options, resourceLimits })
  watch(worker, maxMegabytes)
  return worker
}
