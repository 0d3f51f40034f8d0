import { Worker } from "node:worker_threads"

/** To read the modules of a thread. */
const beginning = 1_000
/** A kept thread that nobody has asked for so long gives back what it took. */
const idle = 10_000
/** A thread that has not even said for so long for how long it has computed is not waited for. */
const silence = 60_000

/** For how long a thread has computed; none of it is told before it runs. */
const millisOf = (worker: Worker): Promise<number> =>
  worker.cpuUsage().then(
    ({ system, user }) => (system + user) / 1_000,
    () => 0
  )

export interface Bounds {
  /**
   * So long a note may be computed: time of a processor, since a note is not to blame for a machine that has no time for it.
   * Nothing can look at a clock, or count steps, inside of a parser.
   */
  readonly mostMillis: number
  readonly mostMegabytes: number
  /** Whether it waits for the next note for a while, or ends with each. */
  readonly isKept: boolean
}

/**
 * A thread that works on one note at a time, begun with the first. It ends when a note takes too long, or more memory than
 * it may have, and is begun anew with the next.
 */
export class WorkThread<In, Out> {
  private readonly entry: URL
  private readonly bounds: Bounds
  private worker: Worker | undefined
  private idling: NodeJS.Timeout | undefined

  constructor(entry: URL, bounds: Bounds) {
    this.entry = entry
    this.bounds = bounds
  }

  /** Undefined where nothing can be made of the note within the bounds. It never fails. */
  run(note: In): Promise<Out | undefined> {
    const { isKept, mostMegabytes, mostMillis } = this.bounds
    clearTimeout(this.idling)
    return new Promise((resolve) => {
      // A thread that has yet to be begun reads its modules first.
      const most = this.worker === undefined ? mostMillis + beginning : mostMillis
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
      /** Ends it when it has computed for too long. */
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

  /** The next note begins another one. */
  private leave(worker: Worker): void {
    if (this.worker === worker) this.worker = undefined
    // What is said of it later, nobody waits for.
    worker.on("error", () => {})
    void worker.terminate()
  }

  async end(): Promise<void> {
    clearTimeout(this.idling)
    await this.worker?.terminate()
  }
}
