import { endWorker, nextNumber, runTask } from "./Guard.ts"
import type { Bounds } from "./LimitedWorker.ts"

/** A `LimitedWorker` in the thread that watches others. */
export class GuardedWorker<In, Out> {
  readonly #number = nextNumber()
  readonly #entry: string
  readonly #bounds: Bounds

  constructor(entry: URL, bounds: Bounds) {
    this.#entry = entry.href
    this.#bounds = bounds
  }

  /** Returns undefined when the task exceeds a limit or the worker fails. Never rejects. */
  run(task: In): Promise<Out | undefined> {
    return runTask({ worker: this.#number, entry: this.#entry, bounds: this.#bounds, task }) as Promise<Out | undefined>
  }

  /** Ends the worker. A task that it still runs has no result. */
  async end(): Promise<void> {
    endWorker(this.#number)
  }
}
