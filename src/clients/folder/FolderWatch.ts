import { type FSWatcher, watch } from "node:fs"
import type { FolderReport } from "./FolderOptions.ts"
import type { FolderSync } from "./FolderSync.ts"

/** Milliseconds after the first notice of a change: others follow it. */
const gathering = 100
/** Milliseconds until files with problems are looked at again. */
const afterProblem = 5_000
/** Milliseconds between two scans without notice of a change, such as those of network drives. */
const longestRest = 60_000
/** The same if the system gives no notices at all. */
const shortestRest = 5_000

/** Syncs a folder when either side changes. Notices of the system are hints: a scan decides. */
class FolderWatch {
  readonly #folder: FolderSync
  readonly #onReport: (report: FolderReport) => void
  #wake = () => {}
  #isWoken = true
  #watcher: FSWatcher | undefined

  constructor(folder: FolderSync, onReport: (report: FolderReport) => void) {
    this.#folder = folder
    this.#onReport = onReport
  }

  readonly #notice = (): void => {
    this.#isWoken = true
    this.#wake()
  }

  /** Resolves after a notice, after the time, or after the signal. */
  #rest(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#isWoken) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #watch(): void {
    if (this.#watcher !== undefined) return
    try {
      this.#watcher = watch(this.#folder.root, { recursive: true }, this.#notice)
      // The system may have no room for more watches.
      this.#watcher.on("error", () => this.#unwatch())
    } catch {
      this.#unwatch()
    }
  }

  #unwatch(): void {
    this.#watcher?.close()
    this.#watcher = undefined
  }

  async run(signal: AbortSignal): Promise<void> {
    const { engine } = this.#folder
    const stateOf = () => `${engine.state.isWhole} ${String(engine.state.error)}`
    let state = stateOf()
    const unsubscribe = engine.subscribe((ids) => {
      const now = ids.length === 0 ? stateOf() : state
      if (ids.length > 0 || now !== state) this.#notice()
      state = now
    })
    signal.addEventListener("abort", this.#notice)
    this.#watch()
    engine.start()
    let last = ""
    try {
      while (!signal.aborted) {
        this.#isWoken = false
        const cycle = await this.#folder.cycle()
        const report = this.#folder.reported(cycle, engine.state.error)
        const { error, held, problems } = report
        const shown = JSON.stringify([held, problems, error === undefined ? "" : String(error)])
        if (report.actions.length > 0 || shown !== last) this.#onReport(report)
        last = shown
        // What was done may lead to more.
        if (report.actions.length > 0) continue
        const rest = this.#watcher === undefined ? shortestRest : longestRest
        await this.#rest(cycle.isPending ? this.#folder.settling : problems.length > 0 ? afterProblem : rest, signal)
        if (this.#isWoken && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, gathering))
      }
    } finally {
      this.#unwatch()
      unsubscribe()
      signal.removeEventListener("abort", this.#notice)
      await engine.stop()
    }
  }
}

/**
 * Syncs a folder until the signal, and calls `onReport` when something was done or was not. Rejects with FolderGone if the
 * folder is not there any more.
 */
export const watchFolder = (
  folder: FolderSync,
  signal: AbortSignal,
  onReport: (report: FolderReport) => void
): Promise<void> => new FolderWatch(folder, onReport).run(signal)
