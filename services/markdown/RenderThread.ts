import { Worker } from "node:worker_threads"
import type { NoteText, Rendered } from "./Rendered.ts"

/** As it lies in the sources, and in the bundle. */
const entry = import.meta.url.endsWith(".ts") ? "./MarkdownWorker.ts" : "./MarkdownWorker.js"

interface Options {
  /** So long a note may take. Nothing can look at a clock, or count steps, inside of the parser. */
  readonly mostMillis: number
  readonly mostMegabytes: number
  /** Whether it waits for the next note, or ends with each, and gives back what it took. */
  readonly isKept: boolean
}

/**
 * A thread that renders one note at a time, begun with the first. It ends when a note takes too long, or more memory than
 * it may have, and is begun anew with the next.
 */
export class RenderThread {
  private readonly options: Options
  private worker: Worker | undefined

  constructor(options: Options) {
    this.options = options
  }

  /** Undefined where nothing can be made of the note within the bounds. It never fails. */
  render(note: NoteText): Promise<Rendered | undefined> {
    const { isKept, mostMegabytes, mostMillis } = this.options
    return new Promise((resolve) => {
      const isFresh = this.worker === undefined
      const worker = (this.worker ??= new Worker(new URL(entry, import.meta.url), {
        resourceLimits: { maxOldGenerationSizeMb: mostMegabytes, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 }
      }))
      const done = (rendered: Rendered | null | undefined) => {
        clearTimeout(timer)
        worker.off("message", done)
        worker.off("error", end)
        worker.off("exit", end)
        worker.unref()
        if (!isKept && this.worker === worker) {
          this.worker = undefined
          void worker.terminate()
        }
        resolve(rendered ?? undefined)
      }
      const end = () => {
        if (this.worker === worker) this.worker = undefined
        // What is said of it later, nobody waits for.
        worker.on("error", () => {})
        void worker.terminate()
        done(undefined)
      }
      // A thread that has yet to be begun reads its modules first.
      const timer = setTimeout(end, isFresh ? mostMillis + beginning : mostMillis)
      worker.on("message", done)
      worker.on("error", end)
      worker.on("exit", end)
      worker.ref()
      worker.postMessage(note)
    })
  }

  async end(): Promise<void> {
    await this.worker?.terminate()
  }
}

const beginning = 2_000
