/**
 * A task that runs once at a time. Calls during a run share the next run, which begins after all of them; each call
 * rejects if its run does.
 */
export class SharedRun {
  readonly #task: () => Promise<void>
  #current: Promise<unknown> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(task: () => Promise<void>) {
    this.#task = task
  }

  run(): Promise<void> {
    return (this.#next ??= this.#current.then(() => {
      this.#next = undefined
      const run = this.#task()
      // The callers of the run receive its failure.
      this.#current = run.catch(() => {})
      return run
    }))
  }

  /** Resolves when the current run and the next one have ended. */
  async ended(): Promise<void> {
    await this.#next?.catch(() => {})
    await this.#current
  }
}
