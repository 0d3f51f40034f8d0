import type { Page } from "playwright-core"

/** An event of a trace of Chromium. */
interface TraceEvent {
  readonly name: string
  readonly tid: number
  /** Microseconds of processor time of its thread. */
  readonly tdur?: number
  readonly args: { readonly name?: string }
}

/**
 * Returns the milliseconds of processor time of each task that the page's main thread runs during `work`. Unlike elapsed
 * time, they do not grow while the machine is busy with other work.
 */
export const taskTimes = async (page: Page, work: () => Promise<unknown>): Promise<ReadonlyArray<number>> => {
  const browser = page.context().browser()!
  await browser.startTracing(page, { categories: ["-*", "disabled-by-default-devtools.timeline"] })
  await work()
  // The last task ends with the next frame.
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))")
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    readonly traceEvents: ReadonlyArray<TraceEvent>
  }
  const named = traceEvents.filter(({ name }) => name === "thread_name")
  const main = new Set(named.filter(({ args }) => args.name === "CrRendererMain").map(({ tid }) => tid))
  const tasks = traceEvents.filter(({ name, tid }) => name === "RunTask" && main.has(tid))
  if (tasks.every(({ tdur }) => tdur === undefined)) throw new Error("the trace has no processor time of tasks")
  return tasks.map(({ tdur = 0 }) => Math.round(tdur / 1_000))
}
