import { workerModule } from "../../concurrency/WorkerModule.ts"
import { LimitedWorker } from "../../concurrency/LimitedWorker.ts"
import { type Convert, convert, type Work } from "../formats/Convert.ts"
import type { Converted } from "../formats/Converted.ts"

/** Whatever is in a text that is no longer takes little: most notes need not go to another thread and back. */
const tiny = 8 * 1024
/** A longer text is made Markdown by a thread of its own, which ends with it, and gives back what it took. */
const long = 64 * 1024

const bounds = {
  short: { mostMillis: 5_000, mostMegabytes: 64, isKept: true },
  long: { mostMillis: 30_000, mostMegabytes: 384, isKept: false }
}

/** Makes notes Markdown within bounds of time and memory: for one reading in a thread of its own, which ends it. */
export class ConvertThread {
  private readonly threads: Readonly<Record<keyof typeof bounds, LimitedWorker<Work, Converted>>>

  constructor(most: typeof bounds = bounds) {
    const entry = workerModule(import.meta.url, "ConvertWorker")
    this.threads = { short: new LimitedWorker(entry, most.short), long: new LimitedWorker(entry, most.long) }
  }

  readonly convert: Convert = (work) =>
    work.text.length <= tiny ? convert(work) : this.threads[work.text.length > long ? "long" : "short"].run(work)

  async end(): Promise<void> {
    await Promise.all([this.threads.short.end(), this.threads.long.end()])
  }
}
