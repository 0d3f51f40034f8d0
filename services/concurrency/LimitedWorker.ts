import { Worker } from "node:worker_threads"

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
   * Maximum CPU time per note, in milliseconds. CPU time, so that a busy machine ends no note early. It is measured
   * from outside, because a parser cannot look at a clock or count steps.
   */
  readonly mostMillis: number
  readonly mostMegabytes: number
  /** Whether the worker waits for the next note for a while, or ends after each note. */
  readonly isKept: boolean
}

/**
 * A worker thread that processes one note at a time, started with the first one. It is terminated when a note exceeds the
 * limit of CPU time or of memory, and started again with the next note.
 */
export class LimitedWorker<In, Out> {
  private readonly entry: URL
  private readonly bounds: Bounds
  private worker: Worker | undefined
  private idling: NodeJS.Timeout | undefined

  constructor(entry: URL, bounds: Bounds) {
    this.entry = entry
    this.bounds = bounds
  }

  /** Returns undefined when the note exceeds a limit or the worker fails. Never rejects. */
  run(note: In): Promise<Out | undefined> {
    const { isKept, mostMegabytes, mostMillis } = this.bounds
    clearTimeout(this.idling)
    return new Promise((resolve) => {
      // A new worker loads its modules first.
      const most = this.worker === undefined ? mostMillis + loading : mostMillis
      const worker = (this.worker ??= new Worker(this.entry, {
        resourceLimits: { maxOldGenerationSizeMb: mostMegabytes, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 }
      }))
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
        if (isKept) this.idling = setTimeout(() => this.leave(worker), idle).unref()
        else this.leave(worker)
        resolve(made ?? undefined)
      }
      const end = () => {
        this.leave(worker)
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
      worker.postMessage(note)
    })
  }

  /** The next note starts another worker. */
  private leave(worker: Worker): void {
    if (this.worker === worker) this.worker = undefined
    // Later errors of this worker concern no note.
    worker.on("error", () => {})
    void worker.terminate()
  }

  async end(): Promise<void> {
    clearTimeout(this.idling)
    await this.worker?.terminate()
  }
}
