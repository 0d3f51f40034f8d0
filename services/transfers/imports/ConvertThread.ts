import { workerModule } from "../../concurrency/WorkerModule.ts"
import { GuardedWorker } from "../../concurrency/GuardedWorker.ts"
import { type Convert, convert, type Work } from "../formats/Convert.ts"
import type { Converted } from "../formats/Converted.ts"

/** Characters up to which a text is converted in the calling thread: that is fast for any content of most notes. */
const tiny = 8 * 1024
/** Characters above which a text gets its own thread, which then ends and frees its memory. */
const long = 64 * 1024

const bounds = {
  short: { maxMillis: 5_000, maxMegabytes: 96, isKept: true },
  long: { maxMillis: 30_000, maxMegabytes: 384, isKept: false }
}

/** Converts the notes of one import to Markdown, with limits on time and memory. `end` ends its threads. */
export class ConvertThread {
  readonly #threads: Readonly<Record<keyof typeof bounds, GuardedWorker<Work, Converted>>>

  constructor(most: typeof bounds = bounds) {
    const entry = workerModule(import.meta.url, "ConvertWorker")
    this.#threads = { short: new GuardedWorker(entry, most.short), long: new GuardedWorker(entry, most.long) }
  }

  readonly convert: Convert = (work) =>
    work.text.length <= tiny ? convert(work) : this.#threads[work.text.length > long ? "long" : "short"].run(work)

  async end(): Promise<void> {
    await Promise.all([this.#threads.short.end(), this.#threads.long.end()])
  }
}
